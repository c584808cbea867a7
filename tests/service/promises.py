"""The table of promises: which detector finds which planted bug.

python -m tests.service.promises     runs all detectors with all bugs, and writes the table into
                                     docs/service/promises.md, between its marks
"""

import re
import sys
from pathlib import Path

from tests.service import crash
from tests.service.detectors import DETECTORS
from tests.service.planted import BUGS

PAGE = Path(__file__).parents[2] / "docs" / "service" / "promises.md"
BEGIN, END = "<!-- made by python -m tests.service.promises -->\n", "<!-- end -->\n"
ROUNDS = 15  # of the crash loop, for each bug


def finds(name, bug):
    """Whether a detector raises when a bug is planted."""
    if name == "crash loop":
        return bool(crash.crash(ROUNDS, bug=bug).violations)
    with BUGS[bug].planted():
        try:
            DETECTORS[name]()
        except Exception:
            return True
    return False


def matrix():
    """Return the names of the detectors that find each bug; none of them finds anything else."""
    names = [*DETECTORS, "crash loop"]
    for detect in DETECTORS.values():
        detect()
    assert not crash.crash(ROUNDS).violations
    found = {}
    for bug in BUGS:
        found[bug] = [name for name in names if finds(name, bug)]
        print(f"{bug}: {', '.join(found[bug]) or 'NOT CAUGHT'}", file=sys.stderr, flush=True)
    return found


def table(found):
    """Return the table of the documentation."""
    rows = sorted(((b.promises, b.name, b.what) for b in BUGS.values()), key=_number)
    lines = [
        f"| {promises} | {name} | {what} | {', '.join(found[name]) or '**nothing**'} |"
        for promises, name, what in rows
    ]
    head = "| promise | planted bug | what it does | caught by |\n|---|---|---|---|\n"
    return head + "\n".join(lines) + "\n"


def _number(row):
    return int(re.search(r"\d+", row[0])[0]), row[1]


def written():
    """Return the rows of the table as it stands in the documentation: detectors by bug."""
    text = PAGE.read_text().split(BEGIN)[1].split(END)[0]
    rows = [line.strip("|\n").split("|") for line in text.splitlines()[2:]]
    return {row[1].strip(): row[3].strip().split(", ") for row in rows}


def main():
    crash.warm()
    made = table(matrix())
    before, _, rest = PAGE.read_text().partition(BEGIN)
    PAGE.write_text(f"{before}{BEGIN}{made}{END}{rest.partition(END)[2]}")


if __name__ == "__main__":
    main()
