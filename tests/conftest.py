"""Examples in docstrings run compiled only: their streams are long."""

import pytest

from onearm.kernels import COMPILED


@pytest.hookimpl(tryfirst=True)  # before -m is applied
def pytest_collection_modifyitems(items):
    for item in items:
        if not COMPILED and isinstance(item, pytest.DoctestItem):
            item.add_marker("compiled")
