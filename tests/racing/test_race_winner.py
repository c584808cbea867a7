"""What won the race is what runs: the winner plays its run again, to the same labels."""

import numpy as np
import pytest

import onearm
from onearm import Stream, race
from onearm.racing.race import Results


@pytest.fixture(scope="module")
def results(tmp_path_factory):
    folder = tmp_path_factory.mktemp("race")
    learners = ["Perceptron", "ConservativeOVA", "Banditron"]
    results = race("balance", learners, repeats=2, rounds=700, seed=3, tune=0.1, on=1, out=folder)
    results.write(folder)
    return results, folder


def test_the_winner_plays_its_run_again(results):
    winner = results[0].best()
    assert repr(winner).startswith(
        "Winner(ConservativeOVA, parameters={}, seed=3, stream='balance'"
    )
    named = (winner.learner, winner.parameters, winner.seed, winner.repeat, winner.row_order)
    assert named == ("ConservativeOVA", {}, 3, 0, "shuffled with seed 3")
    learner = winner.fit()
    assert learner.inner.n_classes == 3
    again = winner.fit("balance")
    assert again.content()["weights"].tobytes() == learner.content()["weights"].tobytes()


def test_every_run_can_be_played_again(results):
    raced, _ = results
    for record in raced.runs:
        alone = Results(raced.plan, [record], [])
        alone.best().fit()


@pytest.mark.parametrize("name", onearm.LEARNERS)
def test_every_learner_can_be_played_again(name):
    """`fit` compares the SHA-256 of the labels, and refuses others."""
    winner = race("car", [name], rounds=60, on=1).best()
    assert len(winner.record["labels_sha256"]) == 64
    winner.fit()
    winner.record["labels_sha256"] = "0" * 64
    with pytest.raises(ValueError, match="its chosen labels have SHA-256 000"):
        winner.fit()


def test_a_race_is_read_from_its_folder(results):
    raced, folder = results
    assert repr(Results.read(folder).best()) == repr(raced.best())


def test_other_rows_are_refused(results):
    X, y = onearm.datasets.load("balance").arrays()
    with pytest.raises(ValueError, match=r"stream must have the rows that ConservativeOVA played"):
        results[0].best().fit(Stream.of(X, np.roll(y, 1)))


def test_deployment_plays_all_rows_in_a_new_order(results):
    learner = results[0].best().fit(new_order=5)
    assert learner.n_rounds[0] == 625
    stream = onearm.datasets.load("balance")
    assert (learner.predict(stream.arrays()[0]) == stream.arrays()[1]).mean() > 0.8


def test_several_streams_need_a_name():
    results = race(["SynSep", "SynNonSep"], "Banditron", rounds=50, on=1)
    with pytest.raises(ValueError, match="stream must be one of SynSep, SynNonSep, got None"):
        results.best()
    assert results.best("SynSep").job.source.name == "SynSep"
