"""When, where and with what something was measured."""

import datetime
import platform
from importlib.metadata import PackageNotFoundError, version
from typing import Any

from onearm.experiments.identity import processor

PACKAGES = ("onearm", "numpy", "numba", "scipy", "scikit-learn")


def about() -> dict[str, Any]:
    """The date, the processor, and versions."""
    found: dict[str, Any] = {"date": datetime.date.today().isoformat(), "cpu": processor()}
    found["python"] = platform.python_version()
    for name in PACKAGES:
        try:
            found[name] = version(name)
        except PackageNotFoundError:
            found[name] = "none"
    return found
