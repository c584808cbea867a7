"""What the numbers must be: ours beside peers, and peers beside what they are known to do."""

from collections.abc import Iterator
from typing import Any, NamedTuple

OVER_PEER = {"Banditron": 12, "ConservativeOVA": 8, "SOBA": 5, "InverseGap": 5}
OVER_C = 0.5
OVER_CALLS = {"VW API, lines from rows": 5, "River softmax": 30}
PEAK_RSS, FLATNESS = 2**30, 0.8
COLD = {"import": 0.3, "help": 0.5, "first play": 1.5}

# How peers did when they were measured by themselves, on one core of an AMD EPYC. Below 0.7 of a
# rate or above 1.5 of an error (+ 0.01), we run them wrongly.
RATES = {("sparse", "VW epsilon"): 124e3, ("sparse", "VW squarecb"): 86e3}
CALLS = {("sparse", "VW API, lines ready"): 34e3, ("sparse", "River ALMA"): 6e3}
ERRORS = {
    ("sparse", "VW epsilon"): 0.048,
    ("sparse", "VW squarecb"): 0.0074,
    ("dense", "VW epsilon"): 0.149,
    ("dense", "VW squarecb"): 0.068,
}
SLOWER, WORSE = 0.7, 1.5


class Check(NamedTuple):
    """One demand and what came of it."""

    what: str
    got: float
    sign: str  # ≥ or <
    bound: float

    @property
    def met(self) -> bool:
        return self.got >= self.bound if self.sign == "≥" else self.got < self.bound

    def __str__(self) -> str:
        return f"{self.what}: {self.got:.4g}, demanded {self.sign} {self.bound:.4g}"


def checks(results: dict[str, Any]) -> list[Check]:
    """Every demand on what was measured; a part that failed has none."""
    return [
        *_rates(results.get("rates", {})),
        *_calls(results.get("calls", {})),
        *_rounds(results.get("rounds", {})),
        *_cold(results.get("cold", {})),
        *_peers(results),
    ]


def _rates(rates: dict[str, Any]) -> Iterator[Check]:
    for stream, seen in rates.items():
        for name, one in seen["ours"].items():
            what = f"{name}, play, {stream}"
            yield Check(f"{what}: rate over {one['peer']}", one["over_peer"], "≥", OVER_PEER[name])
            yield Check(f"{what}: rate over the C loop", one["over_c"], "≥", OVER_C)
            yield Check(f"{what}: the C loop says the same", one["same_labels_as_c"], "≥", 1)


def _calls(calls: dict[str, Any]) -> Iterator[Check]:
    for stream, seen in calls.items():
        for peer, bound in OVER_CALLS.items():
            for name, ratio in seen[peer]["ours_over_this"].items():
                yield Check(f"{name}, by call, {stream}: rate over {peer}", ratio, "≥", bound)


def _rounds(rounds: dict[str, Any]) -> Iterator[Check]:
    if rounds:
        yield Check("many rounds: peak memory in bytes", rounds["peak_rss"], "<", PEAK_RSS)
        yield Check("many rounds: slowest over fastest rate", rounds["flatness"], "≥", FLATNESS)


def _cold(cold: dict[str, Any]) -> Iterator[Check]:
    for name, one in cold.items():
        if one["there"]:
            yield Check(f"cold start, {name}: seconds", one["seconds"], "<", COLD[name])


def _peers(results: dict[str, Any]) -> Iterator[Check]:
    rates = {stream: seen["peers"] for stream, seen in results.get("rates", {}).items()}
    for known, measured in ((RATES, rates), (CALLS, results.get("calls", {}))):
        for (stream, peer), rate in known.items():
            if stream in measured:
                got = measured[stream][peer]["rows_per_cpu_second"]
                yield Check(f"{_ourselves(peer, stream)}: rows/CPU-s", got, "≥", SLOWER * rate)
    for (stream, peer), error in ERRORS.items():
        if stream in rates:
            got = rates[stream][peer]["error"]
            yield Check(f"{_ourselves(peer, stream)}: error", got, "<", WORSE * error + 0.01)


def _ourselves(peer: str, stream: str) -> str:
    return f"do we run {peer} rightly, {stream}"
