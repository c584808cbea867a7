"""A variant of Chorus has other kernels: to bind a name that none of them uses changes nothing."""

import pytest

from bench.chorus import trials, variants
from onearm import Chorus
from onearm.core.code_digest import digest

CLASSES = variants.CLASSES | {"silenced": variants.SILENCED} | trials.CLASSES


def code(cls):
    return {part: digest(getattr(kernel, "py_func", kernel)) for part, kernel in cls.round.items()}


@pytest.mark.parametrize("name", [name for name in CLASSES if CLASSES[name] is not trials.Narrow])
def test_a_variant_has_other_kernels(name):
    assert code(CLASSES[name]) != code(Chorus)


def test_narrow_starts_with_smaller_widths():
    usual, narrow = (cls(2, 3, n_components=64).weights for cls in (Chorus, trials.Narrow))
    assert (narrow[:, 2] == usual[:, 2] / 10).all()
