"""What tests share. Examples in docstrings run compiled only: their streams are long."""

import signal

import pytest

from onearm.kernels import COMPILED


@pytest.fixture
def ctrl_c():
    """Let Ctrl-C be heard, also where tests were started in the background, which ignores it."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


@pytest.hookimpl(tryfirst=True)  # before -m is applied
def pytest_collection_modifyitems(items):
    for item in items:
        if not COMPILED and isinstance(item, pytest.DoctestItem):
            item.add_marker("compiled")
