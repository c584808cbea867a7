"""Published tables and figures, run again: our numbers beside the papers'.

`onearm papers` lists them and `onearm papers z19.table1` runs one: jobs that are not in its ledger
are played on all cores, and its report is written from all that are. Ledgers and reports are in
bench/results.
"""

from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import NamedTuple

from rich.console import Console

from papers.replication import Options, Replication

RESULTS = Path(__file__).parents[1] / "bench" / "results"
EXTRAS = {"matplotlib": "plots", "sklearn": "mh"}
PLOTS, BOTH = ("matplotlib",), ("matplotlib", "sklearn")


class Published(NamedTuple):
    """A table or figure that can be run."""

    title: str
    module: str  # has its REPLICATION
    needs: tuple[str, ...] = PLOTS  # packages
    ours: bool = False  # our question, not a table or figure of the paper


PUBLISHED = {
    "c09.table1": Published("linear learners, errors", "c09.report"),
    "c09.figure1": Published("the same runs as table1", "c09.report"),
    "c09.figure2": Published("the same runs as table1", "c09.report"),
    "c09.figure3": Published("the same runs as table1", "c09.report"),
    "c09.figure4": Published("the same runs as table1", "c09.report"),
    "c09.gate": Published("conservative OVA with a gate", "c09.gate", (), ours=True),
    "boz17.figure2": Published("errors by γ and by rounds", "boz17.report"),
    "boz17.reasons": Published("why claims do not hold", "boz17.reasons", (), ours=True),
    "z19.table1": Published("boosters, accuracy of the last fifth", "z19.report"),
    "z19.table2": Published("the same runs as table1", "z19.report"),
    "z19.figure1": Published("the same runs as table1", "z19.report"),
    "z19.figure2": Published("the same runs as table1", "z19.report"),
    "z19.estimators": Published("estimator (3) beside (4)", "z19.estimators", ()),
    "z19.readings": Published("what lies behind cells that differ", "z19.readings", (), ours=True),
    "z19.boosting": Published("does AdaBandit boost?", "z19.boosting_report", ours=True),
    "b10.table1": Published("AdaBoost.MH, errors", "b10.report", BOTH),
    "b10.figure3": Published("which columns are chosen", "b10.features", BOTH),
    "b10.figure4": Published("the same runs as table1", "b10.report", BOTH),
    "b10.usps": Published("why stumps have a higher error on USPS", "b10.usps", BOTH, ours=True),
    "b10.products": Published("ways to fit products; sequences", "b10.products", BOTH, ours=True),
    "bh20.table1": Published("regret and cost", "bh20.regret_report"),
    "bh20.table2": Published("regression, losses", "bh20.report", ()),
    "bh20.learners": Published("more weak learners than table2", "bh20.learners", (), ours=True),
}


def find_replication(name: str) -> Replication:
    """Return what is played and written for a table or figure."""
    published = PUBLISHED[name]
    for package in published.needs:
        if find_spec(package) is None:
            raise ValueError(f"{name} needs {package}: pip install 'onearm[{EXTRAS[package]}]'")
    return import_module(f"papers.{published.module}").REPLICATION


def run(name: str, options: Options, out: Path | None = None) -> int:
    """Play what is missing and write the report, by default in bench/results; 0 if nothing failed.

    What `quick` plays goes into a folder `quick` there.
    """
    paper = RESULTS / name.split(".")[0]
    folder = out or (paper / "quick" if options.quick else paper)
    return find_replication(name).run(name, options, folder, Console(stderr=True))
