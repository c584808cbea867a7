"""The other learners beside Chorus: which settings are tried, and how rows are prepared."""

import pytest

import onearm
from bench.chorus import learners
from onearm.prepare.prepared import wants_preparation


@pytest.mark.parametrize("name", learners.learners())
def test_every_setting_is_another_one(name):
    tried = learners.settings(name, "balance")
    assert all(given not in tried[:i] for i, given in enumerate(tried))
    online = [given for given in tried if given.get("view") == "prepared"]
    assert bool(online) == wants_preparation(getattr(onearm, name))
    assert any(given.get("interactions") for given in online) == bool(online)


def test_rows_are_prepared_online_and_crossed_where_a_setting_says_so():
    played = {}
    for online in ({}, {"view": "prepared"}, {"view": "prepared", "interactions": True}):
        run = learners.play("letter", onearm.ConservativeOVA, online, 0, 3000, 60.0)
        played[len(online)] = run.correct[-1000:].mean()
        assert run.details["view"] == online.get("view", "linear")
    assert played[0] + 0.05 < played[1] < played[2]


def test_products_are_of_two_columns_and_squares_of_numbers():
    stream = onearm.Stream.of([[0.0, 1.0, 2.0]], [0], 2, nominal=(2, 0, 0))
    pairs = [(0, 1), (0, 2), (1, 1), (1, 2), (2, 2)]
    assert learners.products(stream, True) == {"interactions": pairs}
    assert learners.products(stream, False) == {}
