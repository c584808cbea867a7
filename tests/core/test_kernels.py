"""Compiling, composing, and the way back."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from onearm.core.kernels import COMPILED, bind, interpreted, kernel


@kernel
def twice(x):
    return 2 * x


@kernel
def thrice(x):
    return 3 * x


def template(x):
    return times(x) + 1  # noqa: F821 bound below


def test_bound_kernels_are_called():
    assert bind(template, "test.twice", times=twice)(5) == 11
    assert bind(template, "test.thrice", times=thrice)(5) == 16


def test_names_differ_with_the_bound_code():
    """The same name with other code is another kernel, so a changed notebook cell is no error."""
    first = bind(template, "test.same", times=twice)
    second = bind(template, "test.same", times=thrice)
    if COMPILED:
        assert first.py_func.__qualname__ != second.py_func.__qualname__
    assert (first(1), second(1)) == (3, 4)


def test_interpreted_replaces_all_callees():
    plain = interpreted(bind(template, "test.plain", times=twice))
    assert plain(5) == 11
    assert not hasattr(plain, "signatures")


@pytest.mark.compiled
def test_a_learner_defined_at_a_prompt_works():
    """Without a file there is no place for a cache: it is compiled all the same."""
    code = """
from onearm.core.kernels import kernel
source = "@kernel\\ndef f(x):\\n    return x + 1\\n"
names = {"kernel": kernel, "__name__": "prompt"}
exec(source, names)
print(names["f"](1))
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "2\n"
    assert "Warning" not in done.stderr  # a slow machine may say that it compiles


@pytest.mark.compiled
def test_kernels_that_cannot_be_imported_again_are_not_cached(tmp_path):
    """Nor is what is bound to them twice over: the next process would not find them."""
    code = f"""
import importlib.util, sys
sys.path.insert(0, {str(Path(__file__).parents[2])!r})
from onearm.core.kernels import bind
from tests.core.test_kernels import template
spec = importlib.util.spec_from_file_location("lost", {str(tmp_path / "lost.py")!r})
lost = importlib.util.module_from_spec(spec)
spec.loader.exec_module(lost)
print(bind(template, "test.outer", times=bind(template, "test.inner", times=lost.f))(1))
"""
    source = "from onearm.core.kernels import kernel\n\n@kernel\ndef f(x):\n    return 7 * x\n"
    (tmp_path / "lost.py").write_text(source)
    environment = os.environ | {"NUMBA_CACHE_DIR": str(tmp_path / "cache")}
    for _ in range(2):
        done = subprocess.run(
            [sys.executable, "-c", code], capture_output=True, text=True, env=environment
        )
        assert done.stdout == "9\n", done.stderr
        assert "Warning" not in done.stderr


@pytest.mark.compiled
def test_a_kernel_whose_constant_changed_is_not_stored(tmp_path, monkeypatch):
    """What is compiled has the old one and the new one: no digest shows that."""
    monkeypatch.setenv("NUMBA_CACHE_DIR", str(tmp_path))
    scaled_kernel = kernel(scaled)
    before = bind(template, "test.before", times=scaled_kernel)
    assert before(1.0) == 3.0
    assert before.stats.cache_path
    n_files = len(list(tmp_path.rglob("*.nbc")))
    monkeypatch.setitem(scaled.__globals__, "FACTOR", 5.0)
    after = bind(template, "test.after", times=scaled_kernel)
    after(1.0)
    assert not after.stats.cache_path
    assert len(list(tmp_path.rglob("*.nbc"))) == n_files


FACTOR = 2.0


def scaled(x):
    return x * FACTOR


def test_names_differ_with_constants(monkeypatch):
    first = bind(scaled, "test.scaled")
    monkeypatch.setitem(scaled.__globals__, "FACTOR", 5.0)
    second = bind(scaled, "test.scaled")
    assert (first(1.0), second(1.0)) == (2.0, 5.0)
    if COMPILED:
        assert first.py_func.__qualname__ != second.py_func.__qualname__
