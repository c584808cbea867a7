"""The report of `python -m bench ope`."""

from collections.abc import Iterable
from typing import Any

from bench.benchmark import Requirement, Results, verdict, written_by
from papers.markdown import table

PACKAGES = ("onearm", "numpy", "scipy", "numba", "pyarrow")
SAME = 1e-9
OTHER_FORMULA = {  # of which equality is not required, and why
    ("vw_estimators", "confidence_sequence"): "it does not limit the guess of a term to 1, without "
    "which its bound is not proved; equal where no guess is above 1",
    ("pybandits", "switch_dr"): "it keeps weights above the threshold; the paper, and ours, those "
    "up to it",
    ("pybandits", "sub_gaussian"): "its factor is not applied: the value is that of IPS",
    ("pybandits", "dr, stochastic policy"): "it has q(x, π) where the paper has q(x, a): equal for "
    "deterministic policies only",
    ("pybandits", "replay"): "it is the mean reward weighted by the policy's probabilities, "
    "which is right for uniform logging only; ours samples events",
}
PEERS = {"vw_estimators": "vw-estimators", "pybandits": "pybandits"}
RATIOS = {  # what is timed: whose, in words, and by how much ours must be faster
    "ips": ("vw-estimators", "IPS", 5.0),
    "confidence_sequence": ("vw-estimators", "confidence sequence of IPS", 20.0),
    "dr_interval": ("pybandits", "DR with its default interval: theirs a bootstrap of 10,000 "
                    "resamples, ours a confidence sequence", 20.0),
    "dr_bootstrap": ("pybandits", "DR with a bootstrap of 1,000 resamples", None),
    "dr": ("pybandits", "DR, the value alone, both from the same q", 20.0),
}  # fmt: skip
SECONDS, MIB = 10.0, 1024.0


def numbers(value: Any) -> list[float]:
    return [float(v) for v in (value if isinstance(value, list) else [value])]


def difference(ours: Any, theirs: Any) -> float:
    return max(abs(a - b) for a, b in zip(numbers(ours), numbers(theirs), strict=True))


def pairs(results: Results) -> Iterable[tuple[str, str, Any, Any]]:
    for peer, values in results["values"]["theirs"].items():
        for name, theirs in values.items():
            yield peer, name, results["values"]["ours"][peer][name], theirs


def ratio(results: Results, name: str) -> float:
    seconds = results["seconds"]
    return min(seconds["theirs"][name]) / min(seconds["ours"][name])


def beside_reading(results: Results) -> float:
    return results["file"]["judge"]["cpu"] - results["file"]["read"]["cpu"]


def requirements(results: Results) -> list[Requirement]:
    equal = [
        Requirement(f"{name}: difference to {PEERS[peer]}", difference(ours, theirs), "≤", SAME)
        for peer, name, ours, theirs in pairs(results)
        if (peer, name) not in OTHER_FORMULA
    ]
    fast = [
        Requirement(f"{what}: times faster than {peer}", ratio(results, name), "≥", bound)
        for name, (peer, what, bound) in RATIOS.items()
        if bound
    ]
    vw = results["vowpal_wabbit"]
    digits = len(vw["printed"].partition(".")[2])
    return [
        *equal, *fast,
        Requirement("a Parquet log: seconds beside reading", beside_reading(results), "<", SECONDS),
        Requirement("a Parquet log: MiB of memory", results["file"]["judge"]["peak_mib"], "<", MIB),
        Requirement("difference to the loss that Vowpal Wabbit prints, in its digits",
                    abs(round(vw["ours"], digits) - float(vw["printed"])), "≤", SAME),
    ]  # fmt: skip


def shown(value: Any) -> str:
    return "" if value is None else " to ".join(f"{v:.6f}" for v in numbers(value))


def values_table(results: Results) -> str:
    lines = []
    for peer, name, ours, theirs in pairs(results):
        why = OTHER_FORMULA.get((peer, name), "")
        apart = "" if ours is None else f"{difference(ours, theirs):.1e}"
        lines.append([PEERS[peer], name, shown(theirs), shown(ours), apart, why])
    return table(["beside", "estimator or interval", "theirs", "ours", "difference", "why"], lines)


def times_table(results: Results) -> str:
    lines = []
    for name, (peer, what, bound) in RATIOS.items():
        theirs, ours = (min(results["seconds"][who][name]) for who in ("theirs", "ours"))
        required = f"{bound:g}" if bound else ""
        factor = f"{ratio(results, name):,.1f}"
        lines.append([what, peer, f"{1e3 * theirs:,.2f}", f"{1e3 * ours:,.2f}", factor, required])
    return table(["what", "beside", "theirs, ms", "ours, ms", "faster by", "required"], lines)


def file_table(results: Results) -> str:
    file = results["file"]
    tasks = {"read": "reading alone", "judge": "IPS, SNIPS and DR with intervals, with reading"}
    lines = []
    for task, what in tasks.items():
        taken = (f"{file[task][clock]:.2f}" for clock in ("cpu", "wall"))
        lines.append([what, *taken, f"{file[task]['peak_mib']:.0f}"])
    lines.append(["beside reading", f"{beside_reading(results):.2f}", "", ""])
    return table(["what", "CPU seconds", "seconds", "peak MiB"], lines)


def report(results: Results) -> str:
    sizes, vw = results["sizes"], results["vowpal_wabbit"]
    versions = ", ".join(f"{name} {version}" for name, version in results["peers"].items())
    return f"""# Off-policy evaluation beside others

{written_by(results, PACKAGES)}
The others: {versions}, in an environment of their own. One core.

{verdict(requirements(results))}

## The same values

On a log of {sizes["events"]:,} events with 10 labels. Where the formula is the same, values must be
equal to {SAME:g}.

{values_table(results)}

On a log of {vw["events"]:,} events, Vowpal Wabbit prints with `--cb 2 --cb_type ips` an average
loss of {vw["printed"]}; the mean cost of its predictions, by IPS from our log, is {vw["ours"]:.6f}.

## Time on arrays in memory

{sizes["events"]:,} events; CPU milliseconds, the best of {sizes["repeats"]} (theirs with 10,000
resamples: of 3). vw-estimators gets one call for each event, from lists; pybandits gets arrays, and
its value alone is a few NumPy operations, as ours is.

{times_table(results)}

## A large log in a file

A Parquet file of {sizes["large"]:,} events, 10 labels and 100 numbers each, with whole
distributions, {results["file"]["megabytes"]:,.0f} MB, read in chunks. A function of the rows is
judged with a predictable linear reward model, with default intervals, curve, checks and the
difference to the logged policy. Required: less than {SECONDS:g} s beside reading, and less than
{MIB:g} MiB.

{file_table(results)}
"""
