"""How the documentation is built: `make docs`."""

import onearm

project = "onearm"
author = "the onearm authors"
version = release = onearm.__version__

extensions = ["myst_parser", "sphinx.ext.autodoc", "sphinx.ext.napoleon", "sphinx.ext.mathjax"]
myst_enable_extensions = ["dollarmath"]
myst_heading_anchors = 3
exclude_patterns = ["_build", "check_table.md"]  # the table is included by checks.md
napoleon_google_docstring = False
autodoc_typehints = "none"
autodoc_member_order = "bysource"
add_module_names = False
smartquotes = False  # --option is not a dash

html_theme = "furo"
html_title = f"onearm {version}"
