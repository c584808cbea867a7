"""The winner of a race: what won is what runs."""

from dataclasses import dataclass
from typing import Any

from onearm.experiments.job import OnProgress, Record
from onearm.racing.rows import n_tuning_rows, resolve
from onearm.racing.run import Job, play_rows


@dataclass
class Winner:
    """The learner with the lowest error on a stream, and one of its runs."""

    job: Job
    record: Record

    @property
    def learner(self) -> str:
        """The name of its class."""
        return self.job.cls.__name__

    @property
    def parameters(self) -> dict[str, Any]:
        """The parameters that it was given, and the exploration rate that was tuned."""
        return self.job.parameters | self.record["tuned"]

    @property
    def seed(self) -> int:
        """The random seed of its learner, and of the order of rows where they are shuffled."""
        return self.job.seed + self.job.repeat

    @property
    def repeat(self) -> int:
        """Which repeat its run is."""
        return self.job.repeat

    @property
    def row_order(self) -> str:
        """In which order rows came."""
        return f"shuffled with seed {self.seed}" if self.record["shuffled"] else "file order"

    def __repr__(self) -> str:
        return (
            f"Winner({self.learner}, parameters={self.parameters}, seed={self.seed}, "
            f"stream={self.job.source.name!r}, repeat={self.repeat}, "
            f"row_order={self.row_order!r}, error={self.record['error']:.4f})"
        )

    def fit(
        self, stream: Any = None, *, new_order: int | None = None,
        progress: OnProgress = lambda *_: None,
    ) -> Any:  # fmt: skip
        """Return a learner that has played the rows of the run again, to the same labels.

        `stream` is that of the race, if it cannot be opened again by its name. With `new_order`, a
        random seed, the learner plays all rows in that order, as for deployment; where the race
        kept the order of the file, in that one.
        """
        job = self.job
        if stream is not None:
            job = job._replace(source=resolve(stream, job.rounds))
        if new_order is not None:
            job = job._replace(seed=new_order, repeat=0, rounds=None, tune=0.0)
        seed, rows = job.seed + job.repeat, job.stream()
        learner = job.learner(rows, seed, **self.record["tuned"])
        n_tuning = n_tuning_rows(job.source, job.rounds, job.tune)
        played = play_rows(learner, rows.after(n_tuning), progress)
        expected = self.record.get("labels_sha256")
        if new_order is None and played.digest() != expected:
            raise ValueError(
                f"stream must have the rows that {job.name} played in the race on "
                f"{self.job.source.name}: its chosen labels have SHA-256 {expected}, "
                f"here {played.digest()} (other rows, another version of onearm or of NumPy)"
            )
        return learner
