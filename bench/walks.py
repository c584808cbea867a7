"""The way of a call through the code: files and functions in order, and the times of imports.

Four calls run by plain Python while a profiler notes the functions of ours that they pass; imports
are timed in new processes, by CPU time. Writes results/walks.json and walks.md; with --before, the
folder of an earlier checkout, of both.
"""

import argparse
import json
import os
import sys
import tempfile
from collections.abc import Sequence
from importlib import import_module
from pathlib import Path
from typing import Any

HERE = Path(__file__).parents[1]
WALKS = {
    "race": """
rows = onearm.Stream.of([[0.0, 1.0], [1.0, 0.0]] * 10, [0, 1] * 10, name="rows")
onearm.race(rows, "Banditron", on=1, rounds=10)""",
    "choose, update, save, load": """
learner = onearm.Banditron(2, 2)
choice = learner.choose([0.0, 1.0])
learner.update([0.0, 1.0], choice, True)
learner.save(folder + "/learner")
onearm.load(folder + "/learner")""",
    "AdaBoostMH.fit": """
onearm.AdaBoostMH(n_rounds=2).fit([[0.0], [1.0], [2.0], [3.0]], [0, 0, 1, 1])""",
    "papers z19.table1": """
program(["papers", "z19.table1", "--quick", "--out", folder], standalone_mode=False)""",
}
IMPORTS = {
    "`import onearm`": "import onearm",
    "`onearm.Banditron`": "import onearm; onearm.Banditron",
    "`onearm.Chorus`": "import onearm; onearm.Chorus",
    "`onearm.AdaBoostMH`": "import onearm; onearm.AdaBoostMH",
    "`onearm.race`": "import onearm; onearm.race",
    "`onearm --help`": "from PROGRAM import app; app(['--help'])",
}
COMPILED = ("papers z19.table1",)  # workers play the runs: the walk has everything else
REPEATS = 5
Walk = dict[str, list[str]]  # functions by file, both in the order of their first call


def trace(name: str, program: str) -> Walk:
    """Return the functions that a walk passes in this process."""
    import onearm

    passed: Walk = {}
    sources = tuple(f"{Path.cwd() / folder}{os.sep}" for folder in ("onearm", "papers"))

    def note(frame: Any, event: str, _: Any) -> None:
        code = frame.f_code
        if event == "call" and code.co_filename.startswith(sources):
            functions = passed.setdefault(os.path.relpath(code.co_filename), [])
            if code.co_qualname not in functions and "<" not in code.co_name:
                functions.append(code.co_qualname)

    with tempfile.TemporaryDirectory() as folder:
        scope = {"onearm": onearm, "folder": folder, "program": import_module(program).app}
        for profile in (None, note):  # at first, what is imported lazily is imported
            sys.setprofile(profile)
            try:
                exec(WALKS[name], scope)
            except SystemExit:
                pass
            finally:
                sys.setprofile(None)
    return passed


def program_of(root: Path) -> str:
    """Return the module of a checkout that has the command line's `app`."""
    return "onearm.cli" if (root / "onearm" / "cli.py").exists() else "onearm.cli.program"


def python(root: Path, **environment: str) -> list[str]:
    """Return the command that runs Python on the sources of a checkout."""
    given = environment | {"PYTHONPATH": str(root)}
    return ["env", *(f"{name}={value}" for name, value in given.items()), sys.executable]


def walks_of(root: Path) -> dict[str, Walk]:
    """Return all walks through a checkout."""
    from bench.timing import child

    walks = {}
    for name in WALKS:
        plain = python(root, NUMBA_DISABLE_JIT=str(int(name not in COMPILED)))
        printed = child([*plain, "-P", __file__, name, program_of(root)], cwd=root)
        walks[name] = json.loads(printed.splitlines()[-1])
    return walks


def time_imports(root: Path, seconds: dict[str, float]) -> None:
    """Time each import once; the least seconds count."""
    from bench.timing import Timing, child

    for name, code in IMPORTS.items():
        timing = Timing()
        child([*python(root), "-c", code.replace("PROGRAM", program_of(root))], timing, root)
        seconds[name] = min(*timing.cpu, seconds.get(name, timing.cpu[0]))


def count(walk: Walk) -> tuple[int, int]:
    return len(walk), sum(map(len, walk.values()))


def report(results: dict[str, Any]) -> str:
    """Return the tables, and the walks as lists."""
    from bench.benchmark import written_by
    from papers.markdown import table

    checkouts = [results[name] for name in ("before", "after") if name in results]
    columns = ["before", "after"][-len(checkouts) :]
    counts = [
        [name, *(str(count(c["walks"][name])[what]) for what in (0, 1) for c in checkouts)]
        for name in WALKS
    ]
    times = [[name, *(f"{c['imports'][name]:.2f}" for c in checkouts)] for name in IMPORTS]
    head = [f"{what} {when}" for what in ("files", "functions") for when in columns]
    walks = "\n\n".join(
        f"## {name}\n\n```python\n{WALKS[name].strip()}\n```\n\n{_steps(walk)}"
        for name, walk in results["after"]["walks"].items()
    )
    return f"""# Walks through the code

{written_by(results)}
Files and functions of ours that a call passes, each counted once; kernels run as plain Python, and
the runs of a paper in workers, which are not traced.

{table(["call", *head], counts)}

CPU seconds of a new process, the best of {REPEATS}:

{table(["what", *columns], times)}

{walks}
"""


def _steps(walk: Walk) -> str:
    lines = []
    for number, (file, functions) in enumerate(walk.items(), 1):
        names = ", ".join(functions).replace("_", r"\_")  # or Markdown makes __init__ bold
        lines.append(f"{number}. `{file}`: {names or 'its module'}")
    return "\n".join(lines)


def measure(options: argparse.Namespace) -> dict[str, Any]:
    """Measure this checkout, and the earlier one if there is one, in turns."""
    roots = ({"before": options.before} if options.before != NONE else {}) | {"after": HERE}
    results: dict[str, Any] = {
        when: {"walks": walks_of(root.resolve()), "imports": {}} for when, root in roots.items()
    }
    for _ in range(REPEATS):
        for when, root in roots.items():
            time_imports(root.resolve(), results[when]["imports"])
    return results


NONE = Path()


def main(arguments: Sequence[str]) -> int:
    from bench.benchmark import Option, TimedBenchmark

    options = (Option("before", NONE, "folder of an earlier checkout"),)
    return TimedBenchmark("walks", __doc__, "walks", measure, report, options=options).main(
        arguments
    )


if __name__ == "__main__":  # in a new process, perhaps on another checkout
    print(json.dumps(trace(*sys.argv[1:])))
