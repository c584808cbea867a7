"""Learning when you only learn whether your own choice was right."""

from importlib import import_module
from typing import Any

__version__ = "0.1.0"

LEARNERS = {
    "Chorus": "onearm.chorus.chorus",
    "Perceptron": "onearm.linear.perceptron",
    "Banditron": "onearm.linear.banditron",
    "SOBA": "onearm.linear.soba",
    "Newtron": "onearm.linear.newtron",
    "ConservativeOVA": "onearm.linear.conservative",
    "OffsetTree": "onearm.linear.offset_tree",
    "Confidit": "onearm.linear.confidit",
    "Gaptron": "onearm.linear.gaptron",
    "RDUE": "onearm.linear.rdue",
    "SLB": "onearm.linear.slb",
    "InverseGap": "onearm.linear.inverse_gap",
    "EpsilonGreedy": "onearm.linear.epsilon_greedy",
    "LinUCB": "onearm.linear.linucb",
    "LinTS": "onearm.linear.lints",
    "Bag": "onearm.linear.bag",
    "Prepared": "onearm.prepare.prepared",
    "HoeffdingTree": "onearm.boosting.hoeffding_tree",
    "AdaBandit": "onearm.boosting.adabandit",
    "AdaBoostOLM": "onearm.boosting.adaboost_olm",
    "BanditBBM": "onearm.boosting.bbm",
    "OnlineMBBM": "onearm.boosting.bbm",
    "BinBandit": "onearm.boosting.binbandit",
}
ESTIMATORS = {"AdaBoostMH": "onearm.mh.classifier"}
ADAPTERS = {
    "BanditClassifier": "onearm.adapters.classifier",
    "to_river": "onearm.adapters.river",
}
AGENTS = {"Agent": "onearm.agent.agent"}
REGRESSORS = {
    "BanditGradientBooster": "onearm.regression.gradient_boosting",
    "GradientBooster": "onearm.regression.gradient_boosting",
    "SpanBooster": "onearm.regression.gradient_boosting",
    "OGD": "onearm.regression.linear_regressors",
    "NFKM": "onearm.regression.linear_regressors",
    "FKM": "onearm.regression.linear_regressors",
    "PreparedRegressor": "onearm.prepare.regressor",
}
STREAMS = {
    "Stream": "onearm.streams.stream",
    "SynSep": "onearm.streams.texts",
    "SynNonSep": "onearm.streams.texts",
    "Separable": "onearm.streams.dense",
    "Concatenated": "onearm.streams.texts",
    "Diagonal": "onearm.streams.dense",
    "Chess": "onearm.streams.dense",
}
PLACES = {
    **LEARNERS,
    **ESTIMATORS,
    **ADAPTERS,
    **AGENTS,
    **REGRESSORS,
    **STREAMS,
    "Schema": "onearm.schema.schema",
    "Monitor": "onearm.schema.monitor",
    "Log": "onearm.log.log",
    "evaluate": "onearm.ope.evaluate",
    "Client": "onearm.service.client",
    "AsyncClient": "onearm.service.async_client",
    "Learner": "onearm.core.learner",
    "Choice": "onearm.core.choice",
    "Decision": "onearm.agent.decision",
    "Explanation": "onearm.agent.explanation",
    "Trace": "onearm.core.choice",
    "Tally": "onearm.core.choice",
    "HIDDEN": "onearm.core.assembly",
    "load": "onearm.core.saving",
    "read": "onearm.streams.files",
    "seeded": "onearm.core.rng",
    "race": "onearm.racing.race",
    "Plan": "onearm.racing.plan",
    "check_learner": "onearm.checks",
    "check_regressor": "onearm.checks.regressors",
}
EXTRAS = {  # by the package that they bring
    "sklearn": "mh",
    "river": "river",
    "apsw": "serve",
    "msgspec": "serve",
}
MODULES = {
    "convex": "onearm.convex",
    "datasets": "onearm.streams.datasets",
    "metrics": "onearm.metrics",
    "ope": "onearm.ope",
    "streams": "onearm.streams",
}
__all__ = sorted([*PLACES, *MODULES, "__version__", "max_bytes"])


def __getattr__(name: str) -> Any:
    if name == "max_bytes":  # until it is set
        from onearm.core.state import half_of_the_machine

        return half_of_the_machine()
    if name in MODULES:
        return import_module(MODULES[name])
    if name not in PLACES:
        raise AttributeError(f"module 'onearm' has no attribute {name!r}")
    try:
        value = getattr(import_module(PLACES[name]), name)
    except ModuleNotFoundError as error:
        package = (error.name or "").partition(".")[0]
        if package not in EXTRAS:
            raise
        needs = f"{name} needs {package}: pip install 'onearm[{EXTRAS[package]}]'"
        raise ImportError(needs) from error
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return __all__
