"""Wheel and sdist: what is in them, and on which Pythons `make dist` tries them."""

import sys

import pytest

from tests.project.dist import build, contents, faults, interpreters


@pytest.fixture(scope="module")
def built(tmp_path_factory):
    return tuple(map(contents, build(tmp_path_factory.mktemp("dist"))))


def test_wheel_and_sdist_have_what_they_must(built):
    assert faults(*built) == []
    wheel, _ = built
    assert {name.split("/")[0] for name in wheel if ".dist-info" not in name} == {"onearm"}


@pytest.mark.parametrize(
    "name", ["onearm/streams/catalogue.toml", "onearm/streams/data/letter.csv.xz",
             "onearm/page/page.html", "onearm/py.typed", "onearm/adapters/river.py"],
)  # fmt: skip
def test_a_missing_file_is_found(built, name):
    wheel, sdist = built
    assert faults(wheel - {name}, sdist) == [f"{name} is missing from the wheel"]
    assert faults(wheel, sdist - {name}) == [f"{name} is missing from the sdist"]


def test_a_file_too_many_is_found(built):
    wheel, sdist = built
    assert faults(wheel | {"papers/run.py"}, sdist) == ["papers/run.py is in the wheel"]


def test_this_python_is_found():
    assert sys.version_info[:2] in interpreters()
