"""Explanation: how much each column of a context speaks for each label.

That is the difference of the label's score and its score when the column is missing. Where rows are
prepared, the other entries of the prepared row stay as they are, though its norm is then below 1:
so for a linear learner it is weight × value, of all entries that the column makes, and what the
columns and the constant contribute adds up to the score.
"""

from html import escape
from typing import Any, NamedTuple

import numpy as np
from scipy.sparse import csr_array

from onearm.agent.decision import Label
from onearm.agent.labels import Labels
from onearm.core.inputs import as_rows, count, row_of
from onearm.prepare.prepared import Prepared
from onearm.prepare.rows import prepare_few, prepare_sparse
from onearm.schema.contexts import as_mapping
from onearm.schema.schema import Schema

SHOWN = 8  # columns of a table that is printed


class Explanation(NamedTuple):
    """By how much each column raises the score of each label, the most decisive column first.

    Examples
    --------
    >>> Explanation(("sports", "tech"), ("age", "device"), np.array([[0.5, 0.0], [-0.25, 0.125]]))
            age     device
    sports  +0.500  +0.000
    tech    -0.250  +0.125
    """

    labels: tuple[Label, ...]
    columns: tuple[str, ...]
    changes: np.ndarray  # labels × columns

    def rows(self) -> list[dict[str, Any]]:
        """Return a dict for each label and column, as data frames are made of."""
        return [
            {"label": label, "column": column, "change": float(change)}
            for label, changes in zip(self.labels, self.changes, strict=True)
            for column, change in zip(self.columns, changes, strict=True)
        ]

    def _table(self) -> list[list[str]]:
        lines = [["", *self.columns[:SHOWN]]]
        for label, changes in zip(self.labels, self.changes, strict=True):
            lines.append([str(label), *(f"{change:+.3f}" for change in changes[:SHOWN])])
        return lines

    def __repr__(self) -> str:
        table = self._table()
        widths = [max(map(len, cells)) for cells in zip(*table, strict=True)]
        lines = ["  ".join(map(str.ljust, line, widths)).rstrip() for line in table]
        more = len(self.columns) - SHOWN
        return "\n".join(lines + [f"and {more} more columns"] * (more > 0))

    def _repr_html_(self) -> str:
        head, *body = [[escape(cell) for cell in line] for line in self._table()]
        lines = [f"<tr>{''.join(f'<th>{cell}</th>' for cell in head)}</tr>"]
        for name, *cells in body:
            lines.append(f"<tr><th>{name}</th>{''.join(f'<td>{cell}</td>' for cell in cells)}</tr>")
        return f"<table>{''.join(lines)}</table>"


def explain(learner: Any, schema: Schema, labels: Labels, context: Any) -> Explanation:
    """Return what the columns of a context do to the scores of the labels that are not retired."""
    names = [column.name for column in schema.columns]
    values = as_mapping(context, names)
    schema.encode(values)  # which says what is wrong with it
    without = ({**values, name: None} for name in names)
    rows = schema.encode_all([values, *without])
    prepared = isinstance(learner, Prepared)
    scores = prepared_scores(learner, rows) if prepared else learner.scores(rows)
    scores = scores[:, labels.active_ids]
    changes = (scores[0] - scores[1:]).T
    decisive = np.argsort(-np.ptp(changes, axis=0), kind="stable")  # not what all labels gain
    return Explanation(labels.active, tuple(names[j] for j in decisive), changes[:, decisive])


def prepared_scores(learner: Prepared, rows: Any) -> np.ndarray:
    """Return the scores of rows that are prepared and have the scale of the first."""
    prepare = prepare_sparse if learner.sparse else prepare_few
    columns, examples = learner.model()[0], as_rows(rows, learner.n_features, missing=True)
    made = [prepare(row_of(examples, t), *columns) for t in range(count(examples))]
    constant = made[0][1][-1]  # the last entry: 1 over the norm that the row had
    ends = np.cumsum([0, *(len(at) for at, _ in made)])
    entries = np.concatenate([value * (constant / value[-1]) for _, value in made])
    at = np.concatenate([at for at, _ in made])
    return learner.inner.scores(csr_array((entries, at, ends), (len(made), learner.n_inputs)))
