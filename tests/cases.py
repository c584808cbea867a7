"""Every learner in every form that runs other code, by an id for pytest."""

import onearm

ROOM = {"max_bytes": 2**22}
EAGER = ROOM | {"grace_period": 10.0, "delta": 0.1, "tau": 0.5}  # splits a few times in 150 rounds
FEW = ROOM | {"n_learners": 3}
PLAIN = {"weight_scale": 1.0, "grace_period": 40.0}  # as the costs come, they weigh several at once
ASIDE = FEW | {"rho": 0.13}  # a cost is nowhere near the edge where it is rounded up or down

FORMS: dict[str, list[dict]] = {
    "Chorus": [{"n_components": 64}, {"n_components": 128, "alpha": 1.0, "floor": 0.05}],
    "Perceptron": [{}],
    "Banditron": [{}, {"gamma": 0.3}],
    "SOBA": [{"gamma": 0.2}, {"gamma": 0.2, "diagonal": False, "a": 2.0}, {"adaptive": 0.1}],
    "Newtron": [{"gamma": 0.1, "D": 2.0}, {"gamma": 0.1, "D": 2.0, "diagonal": False}],
    "ConservativeOVA": [{"variant": v, "C": 0.5} for v in ("PA", "PA-I")]
    + [{"variant": "PA-II", "C": 0.5, "floor": 0.05}]
    + [{"C": 0.5, "gate": gate} for gate in ("right", "all")],
    "OffsetTree": [
        {},
        {"variant": "PA-II", "floor": 0.3},
        {"rule": "after", "explore": 1.0, "floor": 0.03},
    ],
    "Confidit": [{}, {"diagonal": True, "alpha": 0.5, "eta": 0.2, "floor": 0.02}],
    "Gaptron": [{"loss": loss} for loss in ("logistic", "hinge", "smooth_hinge")],
    "RDUE": [{"q0": 0.1, "B": 2.0}],
    "SLB": [{}],
    "InverseGap": [
        {},
        {"rule": "fast", "eta": 0.5},
        {"loss": "squared", "scale": 3.0, "exponent": 0.3},
    ],
    "EpsilonGreedy": [{"estimator": e, "epsilon": 0.2} for e in ("mtr", "ips", "dr")]
    + [{"loss": "squared"}],
    "LinUCB": [{"alpha": 0.5}, {"diagonal": True, "lam": 0.5, "alpha": 2.0, "floor": 0.1}],
    "LinTS": [{}, {"diagonal": True, "v": 0.4}],
    "Bag": [{}, {"n_bags": 3, "epsilon": 0.1, "loss": "squared", "eta": 0.3}],
    "Prepared": [
        {},
        {"learner": "LinUCB", "settings": {"alpha": 0.5}, "n_words": 3},
        {"learner": "Perceptron"},
    ],
    "HoeffdingTree": [
        EAGER,
        EAGER | {"leaf_prediction": "bayes"},
        EAGER | {"leaf_prediction": "majority", "max_depth": 2, "n_splits": 4},
        EAGER | {"splitter": "histogram"},
    ],
    "AdaBandit": [
        ASIDE | {"step_scale": 1.0},
        ASIDE | PLAIN | {"step": "paper", "target": "cheapest", "tie_break": "lowest"},
        ASIDE
        | {"weak": "stump", "leaf_prediction": "bayes", "share": 0.02, "weight_scale": (0.5, 2.0)},
        ASIDE | {"weak": "linear", "step_scale": 0.5},
    ],
    "AdaBoostOLM": [FEW, FEW | {"weak": "linear", "step": "paper"}],
    "BanditBBM": [
        ASIDE | {"target": "cheapest"},
        ASIDE | {"potential_ties": "strict", "leaf_prediction": "adaptive", "weight_scale": 5.0},
        ASIDE | {"potential_ties": "lenient", "weak": "linear", "clip": 1.5},
    ],
    "OnlineMBBM": [FEW, FEW | {"weak": "linear", "gamma": 0.3}],
    "BinBandit": [
        ASIDE | {"n_learners": 2},
        ASIDE | {"n_learners": 2, "others": False, "eta": 0.3, "gamma": 0.2},
        ASIDE | {"n_learners": 2, "weak": "linear", "weight_scale": 0.1},
    ],
}
SMALL = {name: FEW for name in FORMS if "n_learners" in FORMS[name][0]}  # defaults, but quick
SMALL["Chorus"] = {"n_components": 64}


def learner_class(name: str) -> type:
    return getattr(onearm, name)


def ids() -> list[str]:
    return [f"{name}-{i}" for name, forms in FORMS.items() for i in range(len(forms))]


def make(case: str, n_classes: int, n_features: int, seed: int = 0):
    """The learner called `case` in `ids()`."""
    name, i = case.rsplit("-", 1)
    return learner_class(name)(n_classes, n_features, **FORMS[name][int(i)], seed=seed)
