"""Late rewards are not learnt from; an evaluation may use them."""

from contextlib import closing

import numpy as np
from typer.testing import CliRunner

import onearm
from onearm.cli.program import app
from onearm.service.requests import Decide, Feedback
from onearm.service.sqlite import SqliteStore
from tests.service.making import Clock, context, core


def test_late_rewards_count_if_that_is_asked_for(tmp_path):
    path, clock = tmp_path / "late.db", Clock()
    with closing(SqliteStore(path)) as store:
        service = core(store, clock)
        service.handle([Decide(name, context(i)) for i, name in enumerate("abc")])
        service.handle([Feedback("a", 0.5)])
        clock.now += 11.0
        service.handle([])  # b and c get the default reward
        service.handle([Feedback("b", 1.0)])
        service.handle([Feedback("b", 0.75), Feedback("a", 1.0)])  # a second one, and a conflict
    log, late = (onearm.Log.read(path, late=late) for late in (False, True))
    np.testing.assert_array_equal(log.events().reward, [0.5, 0.0, 0.0])
    np.testing.assert_array_equal(late.events().reward, [0.5, 1.0, 0.0])
    assert [each.counts["default"] for each in (log, late)] == [2, 1]
    asked = ["evaluate", str(path), "--policy", "uniform", "--out", str(tmp_path / "judged")]
    for more, n in (([], "2 events"), (["--late"], "1 event")):
        output = CliRunner().invoke(app, [*asked, *more]).output
        assert f"{n} got no reward in time" in output, output
