"""Policies: the probabilities that they give, and the logs that they may not be judged on."""

import numpy as np
import pytest
from scipy.sparse import csr_matrix

import onearm
from onearm import ope
from onearm.log import pieces
from onearm.ope.given import Column, Function
from onearm.ope.policies import Constant, Frozen, Greedy, Learning, Uniform, require_traced
from onearm.ope.weighing import weigh
from tests.cases import ids, make
from tests.ope.random_logs import as_log, random_arrays

K, N = 3, 60


def chances(policy, log):
    """What a policy gives for all events."""
    policy.start(log)
    done, rows = log.start, []
    for events in log.chunks():
        places = np.arange(done, done + len(events))
        rows.append(policy.chances(events, places))
        done += len(events)
    return np.concatenate(rows)


def trained(log, cls=onearm.InverseGap):
    learner = log.learner(cls)
    learner.learn(as_log(random_arrays(80, seed=99)))
    return learner


@pytest.mark.parametrize("limited", [False, True])
@pytest.mark.parametrize("sparse", [False, True])
def test_a_frozen_learner_has_its_chances_among_what_was_allowed(limited, sparse):
    events = random_arrays(N, limited=limited)
    X = csr_matrix(events.X) if sparse else events.X
    log = as_log(events._replace(X=X))
    learner = onearm.InverseGap(3, 2)
    learner.learn(as_log(random_arrays(80, seed=99)))
    both = chances(Frozen(learner), log), chances(Greedy(learner), log)
    for i in range(N):
        among = np.flatnonzero(events.allowed[i])
        np.testing.assert_allclose(both[0][i], learner.chances(events.X[i], among), rtol=1e-12)
        scores = learner.scores(events.X[i])
        best = among[scores[among].argmax()]
        np.testing.assert_array_equal(both[1][i], np.eye(K)[best])


def test_learners_learn_along_the_log_and_are_judged_before(monkeypatch):
    monkeypatch.setattr(pieces, "ROWS", 7)
    events = random_arrays(N, limited=True, rewards=(-3.0, 5.0))
    log = as_log(events, rewards=(-3.0, 5.0))
    given, own = onearm.EpsilonGreedy(3, 2), onearm.EpsilonGreedy(3, 2)
    policy = Learning(given)
    found = chances(policy, log)
    for i, x in enumerate(events.X):
        among = np.flatnonzero(events.allowed[i])
        np.testing.assert_array_equal(found[i], own.chances(x, among))
        choice = (int(events.label[i]), None, float(events.propensity[i]))
        own.update(x, choice, (events.reward[i] + 3) / 8)
    np.testing.assert_array_equal(given.scores(np.eye(2)), 0)  # stays as it was
    np.testing.assert_array_equal(chances(policy, log), found)  # judged again, it starts anew


def test_learners_of_right_or_wrong_get_truth_values():
    events = random_arrays(N)
    events = events._replace(reward=np.round(events.reward))
    log = as_log(events, feedback="one_right")
    own = onearm.SOBA(3, 2)
    found = chances(Learning(onearm.SOBA(3, 2)), log)
    for i, x in enumerate(events.X):
        np.testing.assert_array_equal(found[i], own.chances(x))
        choice = (int(events.label[i]), None, float(events.propensity[i]))
        own.update(x, choice, bool(events.reward[i]))
    with pytest.raises(ValueError, match="SOBA learns from right or wrong only"):
        Learning(onearm.SOBA(3, 2)).start(as_log(events))


def test_only_events_with_a_reward_are_learnt_from():
    events = random_arrays(N)
    pending = np.arange(N) % 3 == 0
    reward = np.where(pending, np.nan, events.reward)
    x = weigh(
        as_log(events._replace(reward=reward)), [Learning(onearm.EpsilonGreedy(3, 2))], Uniform(),
        "none", "predictable",
    ).policies[0]  # fmt: skip
    rest = type(events)(*(column[~pending] for column in events))
    own = chances(Learning(onearm.EpsilonGreedy(3, 2)), as_log(rest))
    np.testing.assert_array_equal(x.weight, own[np.arange(len(own)), rest.label] / rest.propensity)


def test_simple_policies_keep_to_what_was_allowed():
    events = random_arrays(N, limited=True)
    log = as_log(events)
    even = events.allowed / events.allowed.sum(axis=1, keepdims=True)
    np.testing.assert_allclose(chances(Uniform(), log), even)
    own = events.allowed[:, [1]]
    always = np.where(own, np.eye(K)[1], even)
    rows = np.tile([0.0, 1.0, 0.0], (N, 1))
    columns = [Column(np.ones(N, int)), Column(rows), Column(rows.astype(int))]
    functions = [Function(lambda X: np.ones(len(X), int)), Function(lambda X: rows[: len(X)])]
    for policy in (Constant(1), Constant("1"), *columns, *functions):
        np.testing.assert_allclose(chances(policy, log), always)


def test_columns_are_of_the_whole_log():
    events, rng = random_arrays(N), np.random.default_rng(0)
    log, p = as_log(events), rng.dirichlet(np.ones(K), N)
    np.testing.assert_array_equal(chances(Column(p), log.after(13)), p[13:])
    one = rng.random(N)
    np.testing.assert_array_equal(chances(Column(one), log.after(13)), one[13:])
    np.testing.assert_array_equal(chances(Column(p[:9]), log.first(9)), p[:9])


def test_functions_may_return_names():
    schema = onearm.Schema({"a": "number"}, labels=["no", "yes"])
    X = np.arange(4.0)[:, None]
    log = onearm.Log.of(X, ["no", "yes", "no", "no"], [0.5] * 4, [1, 0, 1, 1], schema=schema)
    found = chances(Function(lambda X: np.where(X[:, 0] > 1, "yes", "no")), log)
    np.testing.assert_array_equal(found.argmax(axis=1), [0, 0, 1, 1])
    np.testing.assert_array_equal(chances(Constant("yes"), log)[:, 1], 1)


@pytest.mark.parametrize(
    ("policy", "words"),
    [
        (Constant(7), "label must be one of 0, 1, 2, got 7"),
        (Column(np.full((N, K), 1 / K)[:-1]), "'column' must have 60 events, got shape"),
        (Column(np.full((N, 2), 0.5)), "'column' must have 60 events"),
        (Column(np.full((N, K), 0.5)), "probabilities of 'column' must sum up to 1 for each"),
        (Column(np.full(N, 3)), r"labels of 'column' must be in \[0, 2\]"),
        (Column(np.full(N, -1)), r"labels of 'column' must be in \[0, 2\]"),
        (Column(np.ones((N, K), int)), "probabilities of 'column' must sum up to 1 for each"),
        (Function(lambda X: np.zeros(3, int)), "must return 20 labels, or as many rows of 3 prob"),
        (Function(lambda X: np.full((len(X), K), 0.5)), "must return 20 labels"),
        (Function(lambda X: np.full(len(X), 9)), r"must return labels in \[0, 2\] or of .*, got 9"),
        (Function(lambda X: ["maybe"] * len(X)), "must return labels in .*, got 'maybe'"),
        (Function(lambda X: np.full((len(X), K), np.nan)), "must return 20 labels"),
        (Frozen(onearm.SOBA(4, 2)), "the log has 3 labels and 2 features, SOBA has 4 and 2"),
        (Learning(onearm.EpsilonGreedy(3, 9)), "2 features, EpsilonGreedy has 3 and 9"),
    ],
)
def test_what_does_not_fit_the_log_is_refused(policy, words):
    with pytest.raises(ValueError, match=words):
        onearm.evaluate(as_log(random_arrays(N)), policy, model="none")


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda: Column([["a"]]), "a column must be probabilities"),
        (lambda: Column(np.full(3, 1.5)), r"probabilities of 'column' must be in \[0, 1\]"),
        (lambda: Column([0.5, np.nan]), r"probabilities of 'column' must be in \[0, 1\]"),
        (lambda: Learning(onearm.SLB(3, 2)), "SLB cannot learn from the choices of another policy"),
        (lambda: Learning(onearm.HoeffdingTree(3, 2)), "HoeffdingTree needs full information"),
    ],
)
def test_policies_that_cannot_be(make, words):
    with pytest.raises(ValueError, match=words):
        make()


def test_schemas_must_agree():
    schemas = [onearm.Schema({name: "number"}, labels=["no", "yes"]) for name in ("a", "b")]
    log = onearm.Log.of([[1.0], [2.0]], [0, 1], [0.5, 0.5], [1, 0], schema=schemas[0])
    learner = onearm.SOBA(2, 1)
    learner.schema = schemas[1]
    with pytest.raises(ValueError, match="SOBA was made for other contexts"):
        onearm.evaluate(log, learner)


# Policies that have learnt from events of the log


def test_a_learner_is_judged_on_events_after_those_that_it_learnt_from(tmp_path):
    log = as_log(random_arrays(N))
    learner = log.learner(onearm.EpsilonGreedy)
    learner.learn(log.first(40))
    learner.save(tmp_path / "learner.safetensors")
    for policy in (learner, ope.Greedy(learner), str(tmp_path / "learner.safetensors")):
        result = onearm.evaluate(log, policy, against="uniform")
        assert result.estimates[-1].n_events == 20
        assert result.differences[0].n_events == 20
        assert result.estimates[0].n_events == 20  # the logged policy on the same events
        later = onearm.evaluate(log.after(40), policy, against="uniform")
        assert later.estimates[-1].value == pytest.approx(result.estimates[-1].value, abs=0.5)
        assert later.estimates[-1].n_events == 20
        with pytest.raises(ValueError, match="was trained on events up to 40 of this log: give la"):
            onearm.evaluate(log.first(40), policy)
    fresh = as_log(random_arrays(N, seed=8))
    assert onearm.evaluate(fresh, learner).estimates[-1].n_events == N


def test_a_learner_of_later_events_has_seen_all_up_to_them():
    log = as_log(random_arrays(N))
    learner = log.learner(onearm.EpsilonGreedy)
    learner.learn(log.after(30).first(10))
    assert onearm.evaluate(log, learner).estimates[-1].n_events == 20


@pytest.mark.parametrize("form", ids())
def test_a_new_learner_is_known_to_be_new(form):
    require_traced(make(form, 3, 4), "it", unseen=False)


def test_learning_policies_must_be_new():
    log = as_log(random_arrays(N))
    learner = log.learner(onearm.EpsilonGreedy)
    learner.learn(log.first(10))
    for some, n in ((log, 10), (log.after(4), 6)):
        words = rf"EpsilonGreedy was trained on events up to 10: .*log.after\({n}\)"
        with pytest.raises(ValueError, match=words):
            onearm.evaluate(some, Learning(learner))
    result = onearm.evaluate(log.after(10), Learning(learner))
    assert result.estimates[-1].n_events == N - 10


def test_logs_that_begin_alike_are_told_apart():
    """A learner of one is judged on all of the other but the events that they may share."""
    arrays, others = random_arrays(N), random_arrays(N, seed=8)
    mixed = [np.concatenate([a[:6], b[6:]]) for a, b in zip(arrays, others, strict=True)]
    log, other = as_log(arrays), as_log(type(arrays)(*mixed))
    learner = log.learner(onearm.EpsilonGreedy)
    learner.learn(log)
    assert onearm.evaluate(other, learner).estimates[-1].n_events == N - 8
    assert onearm.evaluate(other.after(20), learner).estimates[-1].n_events == N - 20


def test_agents_are_judged_on_events_of_later_versions():
    rng = np.random.default_rng(0)
    agent = _agent()
    contexts = [{"x": float(v)} for v in rng.normal(size=N)]
    decisions, rewards = [], []
    for context in contexts:
        decisions.append(agent.choose(context))
        rewards.append(float(rng.random() < 0.5))
        if len(decisions) <= 40:
            agent.update(context, decisions[-1], rewards[-1])
    log = onearm.Log.from_decisions(contexts, decisions, rewards, agent)
    assert agent.version == 40
    assert onearm.evaluate(log, agent).estimates[-1].n_events == 20
    with pytest.raises(ValueError, match="may have learnt from all events of this log"):
        onearm.evaluate(log.first(40), agent)
    agent.learn(onearm.Log.of([[0.0], [1.0]], [0, 1], [0.5] * 2, [1, 0], schema=agent.schema))
    with pytest.raises(ValueError, match="may have learnt from all events of this log"):
        onearm.evaluate(log.first(40), agent)  # of which it has learnt by updates
    new, events = _agent(), log.events()  # an agent that has learnt nothing
    unknown = onearm.Log.of(
        events.X, events.label, events.propensity, rewards, schema=new.schema, version=[-1] * N
    )
    assert onearm.evaluate(unknown, new).estimates[-1].n_events == N


def _agent():
    schema = onearm.Schema({"x": "number"}, labels=["a", "b"])
    return onearm.Agent(schema=schema)


def test_retired_labels_are_not_chosen():
    agent = _agent()
    agent.add_label("c")
    agent.retire_label("a")
    rng = np.random.default_rng(0)
    log = onearm.Log.of(
        rng.normal(size=(N, 1)), rng.integers(0, 3, N), [1 / 3] * N, rng.random(N), n_classes=3,
        schema=agent.schema,
    )  # fmt: skip
    found = chances(Frozen(agent), log)
    np.testing.assert_array_equal(found[:, 0], 0)
    np.testing.assert_allclose(found.sum(axis=1), 1)
