"""Logs in Vowpal Wabbit's text."""

import numpy as np
import pytest

from onearm import Log
from onearm.streams.vowpal import column
from tests.log import vw_golden
from tests.log.random_logs import random_log, require_equal

STORED = ("label", "propensity", "reward", "event_id")
SHARED = "shared |u age:31\n|a x\n0:0.5:0.25 |a y\n|a z\n\n"


def test_the_value_of_its_predictions_is_minus_the_loss_that_it_prints():
    """See `vw_golden` for the commands."""
    assert (vw_golden.DATA / "log.vw").read_text().splitlines() == list(vw_golden.lines())
    log, predictions = Log.read(vw_golden.DATA / "log.vw"), vw_golden.predictions()
    events = log.events()
    value = np.mean((events.label == predictions) * events.reward / events.logged_chance)
    assert f"{-value:.6f}" == vw_golden.LOSS
    assert (log.rewards, log.labels, log.n_bad_lines) == ((-1.0, 0.0), (1, 2, 3), 0)


def test_a_line_is_an_event(write):
    log = Log.read(write("log.vw", "2:0.25:0.5 'a7|u age:31 |v:2 old x:1.5\n1:1:0.125 | old\n"))
    events = log.events()
    assert events.label.tolist() == [1, 0]
    assert events.propensity.tolist() == [0.5, 0.125]
    assert events.reward.tolist() == [-0.25, -1.0]
    assert events.event_id.tolist() == ["a7", ""]
    X = events.X.toarray()[0]
    assert (X[column("u", "age")], X[column("v", "old")], X[column("v", "x")]) == (31, 2, 3)
    assert (np.count_nonzero(X), log.n_features) == (3, 2**18)


def test_a_stated_range_of_costs(write):
    path = write("log.vw", "1:5:0.5 | a\n2:-3:0.5 | b\n")
    log = Log.read(path, costs=(-3, 5), n_classes=4, n_features=16)
    assert (log.rewards, log.n_classes, log.n_features) == ((-5.0, 3.0), 4, 16)
    assert (len(log), log.n_bad_lines) == (2, 0)


@pytest.mark.parametrize("cost", ["9", "-3.5"])
@pytest.mark.parametrize("shared", [False, True])
def test_a_cost_outside_the_range_is_refused(write, cost, shared):
    """Without such events the rest would be selected by their outcome."""
    text = "1:0:0.5 | a\n" * 3 + f"2:{cost}:0.5 | b\n"
    if shared:
        text = f"shared | a\n| x\n\nshared | a\n2:{cost}:0.5 | x\n"
    n = 5 if shared else 4
    words = rf"log\.vw, line {n}: the cost must be in \[0, 1\], .*, got {cost}.*costs= or --costs"
    with pytest.raises(ValueError, match=words):
        Log.read(write("log.vw", text))
    if not shared:
        assert len(Log.read(write("log.vw", text), costs=(-4, 9))) == 4


def test_costs_of_right_and_wrong(write):
    log = Log.read(write("log.vw", "1:0:0.5 | a\n2:1:0.5 | b\n"), feedback="one_right")
    assert (log.rewards, log.feedback) == ((0.0, 1.0), "one_right")
    assert log.events().reward.tolist() == [1.0, 0.0]
    with pytest.raises(ValueError, match=r"costs must be \(0, 1\) with one_right"):
        Log.read(write("log.vw", "1:0:0.5 | a"), feedback="one_right", costs=(0, 2))


def test_actions_beside_the_chosen_one_are_those_that_were_allowed(write):
    log = Log.read(write("log.vw", "1 2:0.5:0.25 4 | a\n3:0:1 | a\n"))
    T, F = True, False
    assert log.events().allowed.tolist() == [[T, T, F, T], [T, T, T, T]]
    assert log.events().label.tolist() == [1, 2]


@pytest.mark.parametrize(
    ("bad", "reason"),
    [
        ("1:0:0.5", "must be label | features"),
        ("| a", "must have one action:cost:probability before the bar, got ''"),
        ("1 | a", "must have one action:cost:probability"),
        ("1:0:0.5 2:0:0.5 | a", "must have one action:cost:probability"),
        ("1:0 | a", "must be action:cost:probability, got '1:0'"),
        ("0:0:0.5 | a", "an action must be a whole number in [1, 65536], got 0"),
        ("99999999999:0:0.5 | a", "an action must be a whole number"),
        ("one:0:0.5 | a", "an action must be a whole number"),
        ("1:x:0.5 | a", "must be a number"),
        ("1:nan:0.5 | a", "the cost must be a number"),
        ("1:0:0.5 | a:x", "must be a number"),
        ("1:0:0.5 | a:1e999", "must be finite"),
        ("1:0:0.5| a", "a blank must stand between"),
        ("\0\0|", "must"),
    ],
)
def test_bad_lines_are_left_out_and_named(write, bad, reason):
    log = Log.read(write("log.vw", f"1:0:0.5 | a\n{bad}\n2:1:0.5 | b\n"))
    assert (len(log), log.n_bad_lines) == (2, 1)
    assert log.bad_lines[0].startswith("log.vw, line 2: ")
    assert reason in log.bad_lines[0]


@pytest.mark.parametrize("value", ["0", "-1", "1.01", "nan", "1e-13", "inf", "1e999"])
@pytest.mark.parametrize("head", ["", "shared | a\n| b\n"])
def test_a_wrong_probability_is_refused(write, value, head):
    text = f"{head}1:0:0.5 | c\n\n{head}2:0:{value} | c\n"
    line = 7 if head else 3
    with pytest.raises(ValueError, match=rf"log\.vw, line {line}: propensity must be in .*, got"):
        Log.read(write("log.vw", text))


def test_events_of_several_lines(write):
    more = "shared 'b1|u age:44\n0:1:0.5 |a x\n|a y\n"
    log = Log.read(write("log.vw", f"\n{SHARED}\n{more}"))
    events = log.events()
    assert events.label.tolist() == [1, 0]
    assert events.propensity.tolist() == [0.25, 0.5]
    assert events.allowed.tolist() == [[True, True, True], [True, True, False]]
    assert events.X.toarray()[:, column("u", "age")].tolist() == [31, 44]
    assert events.event_id.tolist() == ["", "b1"]
    assert log.labels == (1, 2, 3)


def test_if_all_events_have_all_actions_all_were_allowed(write):
    assert Log.read(write("log.vw", SHARED * 5)).events().allowed is None


def test_actions_that_are_not_labels_are_refused(write):
    path = write("log.vw", SHARED + SHARED.replace("|a z", "|a w"))
    words = r"log\.vw, line 9: actions are labels only if .* action 3 had 'a z', now 'a w'"
    with pytest.raises(ValueError, match=words):
        Log.read(path)
    assert len(Log.read(path, ignore_action_features=True)) == 2


@pytest.mark.parametrize(
    "bad",
    ["shared | a\n", "shared | a\n| b\n| c\n", "shared | a\n1:0:0.5 | b\n2:0:0.5 | c\n",
     "| a\n1:0:1 | b\n", "shared | a\n1:0 | b\n", "shared | a\n1:0:0.5 x | b\n"],
)  # fmt: skip
def test_bad_events_of_several_lines_are_left_out(write, bad):
    log = Log.read(write("log.vw", f"{SHARED}{bad}\n{SHARED}"))
    assert (len(log), log.n_bad_lines) == (2, 1)
    assert log.bad_lines[0].startswith("log.vw, line ")


@pytest.mark.parametrize("sparse", [False, True])
@pytest.mark.parametrize("suffix", ["vw", "vw.gz"])
def test_a_log_is_read_as_it_was_written(tmp_path, small_chunks, sparse, suffix):
    log = random_log(sparse=sparse, labels=[1, 2, 3], rewards=(-2.0, 3.0))
    path = tmp_path / f"log.{suffix}"
    with pytest.warns(UserWarning, match="10 events without a reward left out"):
        log.write(path)
    back = Log.read(path, hashed=False, n_features=4, costs=(-3.0, 2.0))
    judged = Log(lambda: log.judged(), 3, 4)
    require_equal(judged, back, [*STORED, "allowed"])
    X = judged.events().X
    X = X.toarray() if sparse else X
    np.testing.assert_array_equal(np.nan_to_num(X), back.events().X.toarray())
    assert (back.labels, back.rewards, back.schema) == (log.labels, log.rewards, log.schema)
    assert (back.events().outcome == 0).all()


def test_right_and_wrong_are_written_as_costs_of_0_and_1(tmp_path):
    log = Log.of(np.eye(2), [0, 1], [0.5, 1.0], [1, 0], feedback="one_right")
    log.write(tmp_path / "log.vw")
    assert (tmp_path / "log.vw").read_text() == "1:0.0:0.5 | f0:1.0\n2:1.0:1.0 | f1:1.0\n"
    back = Log.read(tmp_path / "log.vw", hashed=False, feedback="one_right")
    require_equal(log, back, ("X", "label", "propensity", "reward"))


def test_an_event_id_that_cannot_be_a_tag_is_refused(tmp_path):
    log = Log.of(np.eye(2), [0, 1], [0.5, 1.0], [1, 0], event_id=["a", "b c"])
    with pytest.raises(ValueError, match=r"an event_id in \.vw must have no blanks and bars"):
        log.write(tmp_path / "log.vw")
    assert not list(tmp_path.iterdir())


def test_unhashed_features_have_our_names(write):
    log = Log.read(write("log.vw", "1:0:1 | f3:2\n1:0:1 | x:1\n1:0:1 | f9:1\n"), hashed=False,
                   n_features=5)  # fmt: skip
    assert (len(log), log.n_bad_lines, log.n_features) == (1, 2, 5)
    assert log.events().X.toarray().tolist() == [[0, 0, 0, 2, 0]]
