"""Write check_table.md: every check in a line, and which learners must pass it.

Run `python docs/check_table.py` after a learner or a check was added.
"""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import onearm
from onearm.checks import CHECKS, exemption

TARGET = Path(__file__).with_name("check_table.md")


def table() -> str:
    """Return the text of check_table.md as the code has it now."""
    lines = ["| check | what it requires |", "|---|---|"]
    for check in CHECKS:
        lines.append(
            f"| `{check.__name__}` | {(check.__doc__ or '').strip()}{_exceptions(check)} |"
        )
    return "\n".join(lines) + "\n"


def _exceptions(check: Callable[[Any], None]) -> str:
    reasons = {name: exemption(check, getattr(onearm, name)) for name in sorted(onearm.LEARNERS)}
    exempt = [name for name, reason in reasons.items() if reason]
    if not exempt:
        return ""
    reason = ", ".join(sorted({reason for reason in reasons.values() if reason}))
    if 2 * len(exempt) < len(reasons):
        return f" Not for {', '.join(exempt)} ({reason})."
    return (
        f" Only for {', '.join(name for name in reasons if name not in exempt)} (others: {reason})."
    )


if __name__ == "__main__":
    TARGET.write_text(table(), encoding="utf-8")
