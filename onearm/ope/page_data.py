"""What the page of an evaluation shows, as plain numbers and words."""

import datetime
from collections.abc import Sequence
from dataclasses import asdict
from typing import Any

import numpy as np

from onearm.experiments.identity import machine, machines, versions
from onearm.ope.evaluation import Curve, Estimate, Evaluation, Part
from onearm.ope.words import (
    INTERVALS,
    YES_OR_NO,
    against,
    decimals_of,
    effective_of,
    kind_of,
    levels,
    meanings,
    outcome,
    verdict,
    what_would_decide,
)
from onearm.page.text import percent
from onearm.schema.names import counted

PACKAGES = ("onearm", "numpy", "scipy", "numba")

Data = dict[str, Any]


def page_data(evaluation: Evaluation, command: str = "") -> Data:
    """Return what the page shows."""
    log, settings = evaluation.log, evaluation.settings
    low, high = log.rewards
    differences = [_difference_data(e, evaluation) for e in evaluation.differences]
    kind = evaluation.differences[0]
    return {
        "title": f"Evaluation: {log.name}", "command": command,
        "date": datetime.datetime.now(datetime.UTC).isoformat(timespec="seconds"),
        "versions": versions(PACKAGES), "machines": machines([{"machine": machine()}]),
        "facts": f"{counted(evaluation.estimates[0].n_events, 'event')} judged · "
        f"{counted(log.n_classes, 'label')} · rewards from {low:g} to {high:g}",
        "log": repr(log).strip("<>").removeprefix("Log: "), "decimals": decimals_of(evaluation),
        "rewards": [low, high],
        "against": against(evaluation), "level": settings["level"],
        "levels": levels(evaluation), "kind": INTERVALS[str(kind.interval)],
        "valid": YES_OR_NO[kind.valid_while_learning], "differences": differences,
        "estimates": [_estimate_data(e, evaluation) for e in evaluation.estimates],
        "meanings": meanings(evaluation), "weights": [asdict(w) for w in evaluation.weights],
        "curves": [_curve_data(curve, low, high) for curve in evaluation.curves],
        "by": settings.get("by"), "segments": _parts_data(evaluation.segments),
        "windows": _parts_data(evaluation.windows), "warnings": evaluation.warnings,
        "findings": [f._asdict() | {"outcome": outcome(f)} for f in evaluation.findings],
        "notes": evaluation.notes, "settings": _settings_data(settings),
    }  # fmt: skip


def _estimate_data(e: Estimate, evaluation: Evaluation) -> Data:
    weights = next((w for w in evaluation.weights if w.policy == e.policy), None)
    keys = ("effective", "largest", "unsupported")
    return {
        "label": e.policy, "estimator": e.estimator, "estimates": e.estimates, "value": e.value,
        "low": e.low, "high": e.high, "kind": kind_of(e),
        "valid": YES_OR_NO[e.valid_while_learning], "n_events": e.n_events,
        **{key: getattr(weights, key) if weights else None for key in keys},
    }  # fmt: skip


def _difference_data(e: Estimate, evaluation: Evaluation) -> Data:
    more = what_would_decide(e, effective_of(evaluation, e.policy))
    return {
        "label": e.policy, "value": e.value, "low": e.low, "high": e.high, "verdict": verdict(e),
        "more": more,
    }  # fmt: skip


def _curve_data(curve: Curve, low: float, high: float) -> Data:
    """Return a curve, within what is possible: after few events it may be far outside."""
    value = np.clip(curve.value, low, high)
    points = {"rounds": curve.events, "mean": value, "low": curve.low, "high": curve.high}
    return {"label": curve.policy, "curve": {key: v.tolist() for key, v in points.items()}}


def _parts_data(parts: Sequence[Part]) -> list[Data]:
    """Return the parts in their order, each with the values of all policies."""
    found: dict[str, Data] = {}
    for part in parts:
        about = {"part": part.part, "n_events": part.n_events, "reward": part.reward}
        values = {"label": part.policy, "value": part.value, "low": part.low, "high": part.high}
        found.setdefault(part.part, about | {"policies": []})["policies"].append(values)
    return list(found.values())


def _settings_data(settings: Data) -> Data:
    """Return what was asked for, in words."""
    pairs = [
        f"{name} with {INTERVALS[kind] if kind else 'no interval'}"
        for name, kind in settings["estimators"]
    ]
    shown = {"Estimators": ", ".join(pairs), "Level": percent(settings["level"])}
    shown |= {"Reward model": settings["fitting"].replace("_", "-"), "Seed": str(settings["seed"])}
    if settings["max_weight"] is not None:
        shown["Largest weight"] = f"{settings['max_weight']:g}"
    return shown
