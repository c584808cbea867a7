"""constraints.txt has a version in the range for everything that development needs."""

from packaging.utils import canonicalize_name

from tests.project.constraints import CONSTRAINTS, requirements

TEXT = CONSTRAINTS.read_text()
VERSIONS = dict(line.split("==") for line in TEXT.splitlines() if not line.startswith("#"))


def test_every_requirement_has_a_version_in_its_range():
    assert len(requirements()) > 15
    for requirement in requirements():
        assert requirement.specifier.contains(VERSIONS[canonicalize_name(requirement.name)])


def test_there_are_no_addresses():
    assert all(version[0].isdigit() for version in VERSIONS.values())
    assert "://" not in TEXT
    assert "--" not in TEXT
