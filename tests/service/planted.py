"""Planted bugs: each breaks a promise of the service, and some test must notice it.

A bug is a patch of the service's code, in force while its context is open. `caught_by` names the
detectors of `tests.service.detectors` that were seen to find it; `python -m tests.service.promises`
tries all of them and writes the table of the documentation.
"""

from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from typing import Any
from unittest import mock

from tests.service import planted_core, planted_edges, planted_models


@dataclass(frozen=True)
class Bug:
    """A bug: the promises that it breaks, what it does, and who finds it."""

    name: str
    promises: str
    what: str
    patches: tuple[tuple[Any, str, Any], ...]  # object, attribute, what takes its place
    caught_by: tuple[str, ...]

    @contextmanager
    def planted(self):
        """Have the bug in force."""
        with ExitStack() as stack:
            for where, name, wrong in self.patches:
                stack.enter_context(mock.patch.object(where, name, wrong))
            yield


@contextmanager
def clean():
    """Have no bug in force: who checks a file is another program than the one that wrote it."""
    with ExitStack() as stack:
        for where, name, right in ORIGINALS:
            stack.enter_context(mock.patch.object(where, name, right))
        yield


ALL = (*planted_core.BUGS, *planted_models.BUGS, *planted_edges.BUGS)
BUGS = {name: Bug(name, *rest) for name, *rest in ALL}
ORIGINALS = [
    (where, name, getattr(where, name)) for bug in BUGS.values() for where, name, _ in bug.patches
]
