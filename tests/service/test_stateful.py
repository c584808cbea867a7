"""Whatever is asked of a service in whatever order, it does what a few dicts do."""

from tests.service import machine


def test_a_service_does_what_dicts_do():
    machine.run(200)
