"""The page: the results of a race as one HTML file that needs nothing else, not even a network.

Everything is in the file: style, program, uPlot, and the points of the curves as JSON. Tables and
speeds are plain HTML and can be read without JavaScript, which draws the curves. A policy in the
page forbids it to fetch anything, and to run any program but the one whose hash is given.
"""

import base64
import hashlib
from pathlib import Path
from typing import Any

from jinja2 import Environment, FileSystemLoader, StrictUndefined

from onearm.page import text
from onearm.page.plots import (
    STYLESHEET,
    curve_lines,
    finite,
    script_json,
    speeds,
    styled,
    sweep_lines,
)

HERE = Path(__file__).parent


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
    race = finite(data)
    streams = styled(race["streams"])
    points = [
        {"curves": curve_lines(s["learners"] + s["baselines"]), "exploration": sweep_lines(s)}
        for s in streams
    ]
    for stream in streams:
        stream["speeds"] = speeds(stream["learners"])
    uplot = HERE / "uplot"
    program = "\n".join(
        [f"/*!\nuPlot\n{(uplot / 'LICENSE').read_text()}*/"]
        + [(uplot / "uPlot.iife.min.js").read_text(), '"use strict";']
        + [
            (HERE / f"{name}.js").read_text()
            for name in ("ticks", "readout", "chart", "table", "page")
        ]
    )
    page = _environment().get_template("page.html")
    html = page.render(
        race | {"streams": streams},
        style=(uplot / "uPlot.min.css").read_text() + "\n" + STYLESHEET,
        program=program,
        program_hash=base64.b64encode(hashlib.sha256(program.encode()).digest()).decode(),
        points=[script_json(p) for p in points],
        exploration=[p["exploration"] for p in points],
    )
    Path(path).write_text(html, encoding="utf-8", newline="\n")


def _environment() -> Environment:
    environment = Environment(
        loader=FileSystemLoader(HERE),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    names = ("known", "share", "half", "count", "size", "value", "moment", "decade")
    environment.filters.update({name: getattr(text, name) for name in names})
    return environment
