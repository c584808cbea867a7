"""Published tables and figures, run again: ours beside the papers' numbers.

`onearm papers` lists them and `onearm papers z19.table1` runs one. Each goes on where it was
stopped. Results are written into bench/results of a clone of the repository, else into ./papers.
"""

import sys
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import NamedTuple

CLONE = Path(__file__).parents[1] / "bench" / "results"
RESULTS = CLONE if CLONE.is_dir() else Path("papers")


class Published(NamedTuple):
    """A table or figure that can be run."""

    title: str
    module: str
    quick: tuple[str, ...] = ()  # what makes it small, if that can be done
    needs: tuple[str, ...] = ("matplotlib",)  # packages


EXTRAS = {"matplotlib": "plots", "sklearn": "mh"}
BOTH = ("matplotlib", "sklearn")
Z19 = ("--seeds", "1", "--only", "balance", "car")
B10 = ("--seeds", "1", "--only", "pendigits", "stump")
BH20 = ("--runs", "2", "--only", "abalone", "ogd", "full")
PUBLISHED = {
    "c09.table1": Published("linear learners, errors", "c09.command", ("--quick",)),
    "c09.figure1": Published("the same run as table1", "c09.command", ("--quick",)),
    "c09.figure2": Published("the same run as table1", "c09.command", ("--quick",)),
    "c09.figure3": Published("the same run as table1", "c09.command", ("--quick",)),
    "c09.figure4": Published("the same run as table1", "c09.command", ("--quick",)),
    "boz17.figure2": Published("errors by γ and by rounds", "boz17.command", ("--quick",)),
    "z19.table1": Published("boosters, last fifth", "z19.command", Z19),
    "z19.table2": Published("the same run as table1", "z19.command", Z19),
    "z19.figure1": Published("the same run as table1", "z19.command", Z19),
    "z19.figure2": Published("the same run as table1", "z19.command", Z19),
    "z19.boosting": Published("does AdaBandit boost?", "z19.boosting", Z19),
    "b10.table1": Published("AdaBoost.MH, errors", "b10.command", B10, BOTH),
    "b10.figure3": Published("which columns are chosen", "b10.features", ("--runs", "2"), BOTH),
    "b10.figure4": Published("the same run as table1", "b10.command", B10, BOTH),
    "b10.usps": Published("why stumps err more on USPS", "b10.usps", (), BOTH),
    "bh20.table1": Published("regret and cost", "bh20.regret", ("--quick",)),
    "bh20.table2": Published("regression, losses", "bh20.command", BH20, ()),
}


def run(name: str, told: list[str], quick: bool = False) -> int:
    """Run a table or figure with further arguments of its own; 0 if all went well.

    What is quick goes into a folder `quick` beside the results, which it says.
    """
    one = PUBLISHED[name]
    if quick and not one.quick:
        raise ValueError(f"{name} has one size: leave out --quick")
    if quick:
        out = () if "--quick" in one.quick else ("--out", str(_quick_folder(name)))
        told = [*one.quick, *out, *told]
    sys.argv = [f"onearm papers {name}", *told]
    for package in one.needs:
        if find_spec(package) is None:
            raise ValueError(f"{name} needs {package}: pip install 'onearm[{EXTRAS[package]}]'")
    return import_module(f"papers.{one.module}").main()


def _quick_folder(name: str) -> Path:
    folder = RESULTS / name.split(".")[0] / "quick"
    folder.mkdir(parents=True, exist_ok=True)
    return folder
