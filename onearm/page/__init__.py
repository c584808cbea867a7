"""Pages: the results of a race or an evaluation as one HTML file that needs nothing else.

Everything is in the file, and it needs no network: style, program, uPlot, and the points of the
curves as JSON. Tables, dots and bars are plain HTML and can be read without JavaScript, which draws
the curves. A policy in the page forbids it to fetch anything, and to run any program but the one
whose hash is given. `page.html` is what all pages have, `parts.html` what they share.
"""

import base64
import hashlib
from pathlib import Path
from typing import Any

from onearm.page import plots, text

HERE = Path(__file__).parent
SCRIPTS = ("ticks", "readout", "chart", "table", "page")
FILTERS = (
    "known", "half", "count", "size", "value", "moment", "decade", "number", "weight", "percent",
)  # fmt: skip


def write(data: dict[str, Any], path: str | Path) -> None:
    """Write the page of a race. NaN and infinities count as not known.

    Parameters
    ----------
    data
        Title, date, command, toml, versions, machines, notes, and the streams: each with its
        learners, their metrics as mean, low and high, their curves, and perhaps baselines.
    path
        The HTML file to write.
    """
    race = plots.finite(data)
    streams = plots.styled(race["streams"])
    curves = [plots.curve_lines(stream["learners"] + stream["baselines"]) for stream in streams]
    sweeps = [plots.sweep_lines(stream) for stream in streams]
    for stream in streams:
        stream["speeds"] = plots.speeds(stream["learners"])
    points = [
        plots.script_json({"curves": curve, "exploration": sweep})
        for curve, sweep in zip(curves, sweeps, strict=True)
    ]
    shown = race | {"streams": streams, "points": points, "exploration": sweeps}
    write_html("race.html", shown, path)


def write_html(template: str, shown: dict[str, Any], path: str | Path) -> None:
    """Write a page: a template with what it shows, the style and the program."""
    Path(path).write_text(html(template, shown), encoding="utf-8", newline="\n")


def html(
    template: str,
    shown: dict[str, Any],
    scripts: tuple[str, ...] = SCRIPTS,
    style: str = plots.STYLESHEET,
    folder: Path = HERE,
) -> str:
    """Return a page; the program is made of uPlot and the scripts, the template is in a folder."""
    from jinja2 import Environment, FileSystemLoader, StrictUndefined

    uplot = HERE / "uplot"
    licence = f"/*!\nuPlot\n{(uplot / 'LICENSE').read_text()}*/"
    parts = [(HERE / f"{name}.js").read_text() for name in scripts]
    library = (uplot / "uPlot.iife.min.js").read_text()
    program = "\n".join([licence, library, '"use strict";', *parts])
    environment = Environment(
        loader=FileSystemLoader([HERE, folder]), autoescape=True, undefined=StrictUndefined,
        trim_blocks=True, lstrip_blocks=True,
    )  # fmt: skip
    environment.filters.update({name: getattr(text, name) for name in FILTERS})
    return environment.get_template(template).render(
        shown,
        style=(uplot / "uPlot.min.css").read_text() + "\n" + style,
        program=program,
        program_hash=base64.b64encode(hashlib.sha256(program.encode()).digest()).decode(),
    )
