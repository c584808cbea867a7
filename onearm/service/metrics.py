"""Metrics of a service in Prometheus' text format."""

import time
from typing import TYPE_CHECKING, Any

from prometheus_client.exposition import generate_latest
from prometheus_client.metrics_core import (
    CounterMetricFamily,
    GaugeMetricFamily,
    HistogramMetricFamily,
)
from prometheus_client.registry import CollectorRegistry

from onearm.service.monitoring import DELAYS

if TYPE_CHECKING:
    from onearm.service.web import Service

STATUSES = (
    "applied", "duplicate", "conflict", "late", "unknown", "compacted", "invalid", "not_activated",
)  # fmt: skip
SECONDS = (0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1.0)  # of commits


class Collector:
    """Reads the counters of a service when it is asked."""

    def __init__(self, service: "Service") -> None:
        self.service = service

    def collect(self) -> Any:
        """Yield families of metrics."""
        writer = self.service.writer
        monitoring, counts = writer.core.monitoring, writer.core.counts
        yield _counter("decisions", "Decisions in the log.", monitoring.n_decisions)
        yield _counter("baseline", "Decisions of a baseline.", monitoring.n_baseline)
        agreed = "Decisions of a baseline that are the greedy label of the champion."
        yield _counter("baseline_agreed", agreed, monitoring.n_agreed)
        by_status = CounterMetricFamily(
            "onearm_requests", "Answers of the core by status.", labels=["status"]
        )
        for status in ("decided", *STATUSES, "activated", "active", "changed", "failed"):
            by_status.add_metric([status], counts[status])
        yield by_status
        yield _counter("expired", "Default rewards given.", counts["expired"])
        yield _counter("refused", "Requests refused with 503.", self.service.n_refused)
        yield _counter("not_finite", "Decisions refused: no distribution.", counts["not_finite"])
        yield from _contexts(monitoring.contexts)
        yield _delays(monitoring)
        yield _gauge("join_rate", "Share of outcomes that were reported.", monitoring.join_rate())
        yield _gauge("pending", "Decisions that wait for feedback.", monitoring.n_pending)
        yield _gauge("mean_reward", "Mean reward since the start.", monitoring.mean_reward())
        yield _gauge("queue_depth", "Requests that wait for a commit.", writer.n_waiting)
        yield _gauge("queue_room", "Requests that may wait.", writer.room)
        yield _gauge("seq", "Number of the last record.", writer.core.seq)
        yield _gauge("snapshot_seq", "Record of the newest snapshot.", writer.snapshot_seq)
        age = time.monotonic() - writer.snapshot_time
        yield _gauge("snapshot_age_seconds", "Time since the newest snapshot.", age)
        yield _commits(list(writer.commit_seconds))
        failed = float(self.service.watcher.has_failed)
        yield _gauge("watcher_failed", "1 if what is read from the log is old.", failed)
        state = self.service.watcher.state
        if state:
            yield from _from_log(state)


def text(service: "Service") -> bytes:
    """Return all metrics of a service."""
    registry = CollectorRegistry(auto_describe=False)
    registry.register(Collector(service))
    return generate_latest(registry)


def _counter(name: str, about: str, value: float) -> Any:
    return CounterMetricFamily(f"onearm_{name}", about, value=value)


def _gauge(name: str, about: str, value: float) -> Any:
    return GaugeMetricFamily(f"onearm_{name}", about, value=value)


def _contexts(contexts: Any) -> Any:
    """Yield what of contexts was not as the schema expects, by column."""
    yield _counter("contexts", "Contexts that were decided for.", contexts.rows)
    about = {
        "unseen": ("unseen_values", "Values that a category has not."),
        "absent": ("absent_columns", "Contexts without a column."),
        "extra": ("extra_columns", "Contexts with a column that the schema has not."),
    }
    for what, counts in contexts.counts().items():
        name, words = about[what]
        family = CounterMetricFamily(f"onearm_{name}", words, labels=["column"])
        for column, n in counts.items():
            family.add_metric([column], n)
        yield family


def _delays(monitoring: Any) -> Any:
    return _histogram(
        "reward_delay_seconds", "Time from decision to feedback.", DELAYS, monitoring.delays,
        monitoring.total_delay,
    )  # fmt: skip


def _commits(seconds: list[float]) -> Any:
    counts = [0] * (len(SECONDS) + 1)
    for s in seconds:
        counts[sum(s > edge for edge in SECONDS)] += 1
    about = "Time of the last 1000 batches, with their commit."
    return _histogram("commit_seconds", about, SECONDS, counts, sum(seconds))


def _histogram(name: str, about: str, edges: Any, counts: list[int], total: float) -> Any:
    buckets, n = [], 0
    for edge, count in zip([*map(str, edges), "+Inf"], counts, strict=True):
        n += count
        buckets.append((edge, n))
    return HistogramMetricFamily(f"onearm_{name}", about, buckets=buckets, sum_value=total)


def _from_log(state: dict[str, Any]) -> Any:
    """Yield what the watcher knows: rewards with their confidence sequence, and the checks."""
    for name in ("mean", "low", "high"):
        value = state["reward"][name]
        about = f"Reward of all events: {name} of its confidence sequence."
        yield _gauge(f"reward_{name}", about, float("nan") if value is None else value)
    z = GaugeMetricFamily(
        "onearm_propensity_check_z", "(n - expected n) / spread of each label.", labels=["label"]
    )
    chosen = CounterMetricFamily("onearm_chosen", "Choices of each label.", labels=["label"])
    for row in state["labels"]:
        z.add_metric([row["label"]], row["z"] or 0.0)
        chosen.add_metric([row["label"]], row["chosen"])
    yield from (z, chosen)
    yield from _baselines(state["baselines"])
    passed = all(check["passed"] for check in state["checks"])
    yield _gauge("propensity_check_passed", "1 if labels are chosen as logged.", float(passed))


def _baselines(rows: list[dict[str, Any]]) -> Any:
    """Yield what even choice and the best constant label would have earned."""
    about = {
        "snips": "Mean reward that a policy would have earned, by SNIPS.",
        "effective_sample_size": "(sum of weights)^2 / sum of their squares.",
        "largest_weight": "Largest weight of an event.",
    }
    for name, words in about.items():
        family = GaugeMetricFamily(f"onearm_{name}", words, labels=["policy", "label"])
        for row in rows:
            family.add_metric([row["policy"], row["label"]], row[name])
        yield family
