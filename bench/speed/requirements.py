"""Requirements on the speed of ours beside peers, and of peers beside their known results."""

from collections.abc import Iterator

from bench.benchmark import Requirement, Results

OVER_PEER = {"Banditron": 12, "ConservativeOVA": 8, "SOBA": 5, "InverseGap": 5}
OVER_C = 0.5
OVER_CALLS = {"VW API, lines from rows": 5, "River softmax": 30}
PEAK_RSS, FLATNESS = 2**30, 0.8
COLD = {"import": 0.3, "help": 0.5, "first play": 1.5}

# Peers as they were measured alone, on one core of an AMD EPYC. Below 0.7 of a rate or above 1.5 of
# an error (+ 0.01), this benchmark runs them wrongly.
RATES = {("sparse", "VW epsilon"): 124e3, ("sparse", "VW squarecb"): 86e3}
CALLS = {("sparse", "VW API, lines ready"): 34e3, ("sparse", "River ALMA"): 6e3}
ERRORS = {
    ("sparse", "VW epsilon"): 0.048,
    ("sparse", "VW squarecb"): 0.0074,
    ("dense", "VW epsilon"): 0.149,
    ("dense", "VW squarecb"): 0.068,
}
SLOWER, WORSE = 0.7, 1.5


def requirements(results: Results) -> list[Requirement]:
    """Return all requirements on the results; a part that failed has none."""
    return [
        *_rates(results.get("rates", {})),
        *_calls(results.get("calls", {})),
        *_rounds(results.get("rounds", {})),
        *_cold(results.get("cold", {})),
        *_peers(results),
    ]


def _rates(rates: Results) -> Iterator[Requirement]:
    for stream, measured in rates.items():
        for name, ours in measured["ours"].items():
            what, peer = f"{name}, play, {stream}", ours["peer"]
            yield Requirement(f"{what}: rate over {peer}", ours["over_peer"], "≥", OVER_PEER[name])
            yield Requirement(f"{what}: rate over the C loop", ours["over_c"], "≥", OVER_C)
            yield Requirement(f"{what}: labels as the C loop's", ours["same_labels_as_c"], "≥", 1)


def _calls(calls: Results) -> Iterator[Requirement]:
    for stream, measured in calls.items():
        for peer, bound in OVER_CALLS.items():
            for name, ratio in measured[peer]["ours_over_this"].items():
                what = f"{name}, by call, {stream}: rate over {peer}"
                yield Requirement(what, ratio, "≥", bound)


def _rounds(rounds: Results) -> Iterator[Requirement]:
    if rounds:
        yield Requirement("long streams: peak memory in bytes", rounds["peak_rss"], "<", PEAK_RSS)
        flatness = rounds["flatness"]
        yield Requirement("long streams: slowest over fastest rate", flatness, "≥", FLATNESS)


def _cold(cold: Results) -> Iterator[Requirement]:
    for name, start in cold.items():
        if start["installed"]:
            yield Requirement(f"cold start, {name}: seconds", start["seconds"], "<", COLD[name])


def _peers(results: Results) -> Iterator[Requirement]:
    rates = {stream: measured["peers"] for stream, measured in results.get("rates", {}).items()}
    for known, measured in ((RATES, rates), (CALLS, results.get("calls", {}))):
        for (stream, peer), rate in known.items():
            if stream in measured:
                value = measured[stream][peer]["rows_per_cpu_second"]
                what = f"{_check(peer, stream)}: rows/CPU-s"
                yield Requirement(what, value, "≥", SLOWER * rate)
    for (stream, peer), error in ERRORS.items():
        if stream in rates:
            value = rates[stream][peer]["error"]
            yield Requirement(f"{_check(peer, stream)}: error", value, "<", WORSE * error + 0.01)


def _check(peer: str, stream: str) -> str:
    return f"check of the benchmark, {peer}, {stream}"
