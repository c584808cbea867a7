"""What makes another digest, and what does not."""

import itertools
from enum import IntEnum
from types import ModuleType

import numpy as np
import pytest

from onearm.core.code_digest import Walk, digest
from onearm.core.kernels import (
    COMPILED,
    bind,
    kernel,
    kernel_not_inlined,
    kernel_without_refcounts,
    separate_kernel,
)

HELPER = """
def helper(x):
    return x * FACTOR
"""
SOURCE = """
def function(x, by=1.0, *, also=2.0):
    y = helper(x) + module.inner.helper(x) + TABLE[0] + module.SHIFT + len(NAMES)
    return y + by + also + 7
"""


def made(source=SOURCE, file="a.py", lines=0, factor=2.0, far=3.0, **changed):
    """A function of a module that was never on disk."""
    inner = ModuleType("inner")
    vars(inner)["FACTOR"] = far
    exec(HELPER, vars(inner))
    module = ModuleType("module")
    vars(module).update(inner=inner, SHIFT=1.0, unused=changed.pop("unused", 0))
    vars(module).update(changed.pop("attributes", {}))
    names = {"module": module, "FACTOR": factor, "TABLE": np.arange(3.0), "NAMES": ("a",)}
    names |= {"__name__": "tests.made", **changed}
    exec(HELPER, names)
    exec(compile("\n" * lines + source, file, "exec"), names)
    return names["function"]


class Colour(IntEnum):
    RED = 1


OTHERS = {
    "constant": made(SOURCE.replace("7", "8")),
    "type of a constant": made(SOURCE.replace("7", "7.0")),
    "default": made(SOURCE.replace("by=1.0", "by=1.5")),
    "keyword's default": made(SOURCE.replace("also=2.0", "also=2.5")),
    "global of a helper": made(factor=2.5),
    "global two modules away": made(far=3.5),
    "attribute of a module": made(attributes={"SHIFT": 1.5}),
    "array": made(TABLE=np.array([0.0, 1.0, 2.5])),
    "dtype of an array": made(TABLE=np.arange(3)),
    "shape of an array": made(TABLE=np.arange(3.0).reshape(1, 3)),
    "order of an array": made(TABLE=np.zeros((2, 2), order="F")),
    "other order of an array": made(TABLE=np.zeros((2, 2))),
    "tuple": made(NAMES=("b",)),
    "type in a tuple": made(NAMES=(1,)),
    "other type in a tuple": made(NAMES=(True,)),
    "member of an enumeration": made(NAMES=Colour.RED),
    "number of NumPy": made(NAMES=np.float32(1)),
    "other number of NumPy": made(NAMES=np.float64(1)),
    "minus zero": made(NAMES=-0.0),
    "zero": made(NAMES=0.0),
    "name of an argument": made(SOURCE.replace("by", "plus")),
}


def test_all_that_affects_compilation_changes_the_digest():
    digests = {name: digest(function) for name, function in {"": made(), **OTHERS}.items()}
    for first, second in itertools.combinations(digests, 2):
        assert digests[first] != digests[second], (first, second)


@pytest.mark.parametrize(
    "same",
    [
        made(),
        made(file="b.py"),
        made(lines=30),
        made(SOURCE.replace("    return", "    # a comment\n\n    return")),
        made(SOURCE.replace("    y =", '    """A docstring."""\n    y =')),
        made(unused=1),
        made(UNUSED=1),
    ],
    ids=["again", "file", "line", "comment", "docstring", "unused attribute", "unused global"],
)
def test_nothing_else_changes_the_digest(same):
    assert digest(same) == digest(made())


def test_closures_count():
    def closed(n):
        def function(x):
            return x + n

        return function

    assert digest(closed(1)) == digest(closed(1)) != digest(closed(2))


@pytest.mark.compiled
def test_options_of_kernels_count():
    function = made()
    digests = {
        digest(wrap(function))
        for wrap in (kernel, kernel_not_inlined, kernel_without_refcounts, separate_kernel)
    }
    assert len(digests) == 4

    def caller(x):
        return called(x)  # noqa: F821 bound below

    bound = {
        digest(bind(caller, "test.caller", called=wrap(function)))
        for wrap in (kernel, kernel_not_inlined)
    }
    assert len(bound) == 2


def test_values_without_a_digest_are_reported():
    """Such a kernel is not stored on disk."""
    assert Walk(made()).unknown == []
    strange = object()
    assert Walk(made(NAMES=strange)).unknown == [strange]


def test_recursive_functions_have_a_digest():
    names = {"__name__": "tests.made"}
    exec("def f(x): return g(x)\ndef g(x): return f(x)", names)
    assert digest(names["f"]) == digest(names["f"])


def test_a_digest_is_the_same_after_it_was_compiled():
    from onearm.linear.banditron import Banditron

    before = digest(Banditron)
    if COMPILED:
        Banditron(2, 3).choose(np.ones(3))
    assert digest(Banditron) == before


class Plain:
    STEP = 1

    def steps(self):
        return self.STEP


def test_a_class_digest_covers_attributes_and_bases():
    def derived(**attributes):
        return type("Derived", (Plain,), attributes)

    assert digest(derived()) == digest(derived())
    assert digest(derived()) != digest(derived(STEP=2))
    assert digest(derived()) != digest(type("Derived", (type("Plain", (), {}),), {}))
