"""Every learner in every form that runs other code, by an id for pytest."""

import onearm

FORMS: dict[str, list[dict]] = {
    "Perceptron": [{}],
    "Banditron": [{}, {"gamma": 0.3}],
    "SOBA": [{"gamma": 0.2}, {"gamma": 0.2, "diagonal": False, "a": 2.0}, {"adaptive": 0.1}],
    "Newtron": [{"gamma": 0.1, "D": 2.0}, {"gamma": 0.1, "D": 2.0, "diagonal": False}],
    "ConservativeOVA": [{"variant": v, "C": 0.5} for v in ("PA", "PA-I", "PA-II")],
    "OffsetTree": [{}, {"variant": "PA-II"}, {"rule": "after", "explore": 1.0}],
    "Confidit": [{}, {"diagonal": True, "alpha": 0.5, "eta": 0.2}],
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
    "LinUCB": [{"alpha": 0.5}, {"diagonal": True, "lam": 0.5, "alpha": 2.0}],
    "LinTS": [{}, {"diagonal": True, "v": 0.4}],
    "Bag": [{}, {"n_bags": 3, "epsilon": 0.1, "loss": "squared", "eta": 0.3}],
}


def learner_class(name: str) -> type:
    return getattr(onearm, name)


def ids() -> list[str]:
    return [f"{name}-{i}" for name, forms in FORMS.items() for i in range(len(forms))]


def make(case: str, n_classes: int, n_features: int, seed: int = 0):
    """The learner called `case` in `ids()`."""
    name, i = case.rsplit("-", 1)
    return learner_class(name)(n_classes, n_features, **FORMS[name][int(i)], seed=seed)
