"""How the documentation is built: `make docs`."""

import re

from docutils import nodes
from latex2mathml.converter import convert

import onearm

project = "onearm"
author = "the onearm authors"
version = release = onearm.__version__

extensions = ["myst_parser", "sphinx.ext.autodoc", "sphinx.ext.napoleon"]
myst_enable_extensions = ["dollarmath"]
myst_heading_anchors = 3
exclude_patterns = ["_build", "check_table.md"]  # the table is included by checks.md
napoleon_google_docstring = False
autodoc_typehints = "none"
autodoc_member_order = "bysource"
add_module_names = False
default_role = "code"  # `name` in a docstring
smartquotes = False  # --option is not a dash
highlight_options = {"pycon": {"stripnl": True}}  # the empty line that ends a doctest

html_theme = "furo"
html_title = f"onearm {version}"
html_static_path = ["static", "race", "evaluate"]  # their pages are shown as they are
html_show_copyright = False
html_css_files = ["site.css"]
html_math_renderer = "mathml"
THIN = '<mspace width="0.12em"/>'


def setup(app):
    """Write formulas as MathML, which browsers show without a program, a font or a network."""
    renderers = {"inline_renderers": (inline, None), "block_renderers": (block, None)}
    app.add_html_math_renderer("mathml", **renderers)
    app.connect("doctree-resolved", mark_lengths)


def mark_lengths(app, doctree, docname):
    """Mark code and cells of tables that are never broken into lines, and cells of long texts."""
    for kind, longest in ((nodes.literal, 30), (nodes.entry, 20)):
        for node in doctree.findall(kind):
            if len(node.astext()) <= longest:
                node["classes"].append("short")
    for node in doctree.findall(nodes.entry):
        if len(node.astext()) > 80:
            node["classes"].append("long")


def inline(translator, node):
    """Write a formula within a line."""
    translator.body.append(mathml(node, "inline"))
    raise nodes.SkipNode


def block(translator, node):
    """Write a formula on lines of its own."""
    translator.body.append(f'<div class="math">{mathml(node, "block")}</div>')
    raise nodes.SkipNode


def mathml(node, display):
    """Return a formula as MathML; one with a command that is not known fails the build."""
    tex = node.astext().replace(r"\arg", r"\operatorname{arg}")
    tex = tex.replace(r"\begin{aligned}", r"\begin{array}{llll}").replace("{aligned}", "{array}")
    formula = convert(tex, display=display)
    if "\\" in formula:
        raise ValueError(f"formula {tex!r} has a command that is not known")
    # += is one operator, ~ a relation, and names of functions have space around them
    formula = re.sub(r"<mo><mrow><mo>([^<]+)</mo></mrow></mo><mo>&#x0003D;", r"<mo>\1=", formula)
    formula = formula.replace("<mi>&#x0007E;</mi>", "<mo>&#x0223C;</mo>")
    return re.sub(r"(?<!<msub>)<mi>(log|ln|exp|cos)</mi>", rf"{THIN}<mi>\1</mi>{THIN}", formula)
