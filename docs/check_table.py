"""Write check_table.md: every check in a line, and which learner must pass which.

Run `python docs/check_table.py` after a learner or a check was added.
"""

from pathlib import Path

import onearm
from onearm.checks import CHECKS, exemption

TARGET = Path(__file__).with_name("check_table.md")


def table() -> str:
    """Return the text of check_table.md as the code has it now."""
    learners = {name: getattr(onearm, name) for name in onearm.LEARNERS}
    lines = ["| check | what it demands |", "|---|---|"]
    for check in CHECKS:
        lines.append(f"| `{check.__name__}` | {(check.__doc__ or '').strip()} |")
    lines += ["", _row(["check", *learners]), _row(["---", *(":-:" for _ in learners)])]
    for check in CHECKS:
        cells = [exemption(check, cls) or "✓" for cls in learners.values()]
        lines.append(_row([f"`{check.__name__}`", *cells]))
    return "\n".join(lines) + "\n"


def _row(cells: list[str]) -> str:
    return f"| {' | '.join(cells)} |"


if __name__ == "__main__":
    TARGET.write_text(table(), encoding="utf-8")
