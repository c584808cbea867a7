"""The data sets of Z19, coded as its authors' program coded them.

D. Zhang, Y. H. Jung, A. Tewari. Online multiclass boosting with bandit feedback. AISTATS 2019,
Appendix B.1. A column is numeric if all its values are; the values of a nominal column, and the
classes, are numbered in the order in which they first appear in the file.

Differs from the paper: Movement has 165,632 rows, not 165,631. No row of our file has a missing
value; only data row 122,077 is left out, whose z4 is corrupt in the source. The paper removes one
such row too, and does not say which other one it lacks.
"""

from functools import cache

import numpy as np

from onearm import Stream
from onearm.streams import datasets

ENTRIES = {  # of the data catalogue
    "balance": "balance", "car": "car", "nursery": "nursery", "movement": "movement-sensors",
    "mice": "mice-filled", "isolet": "isolet-pca50",
}  # fmt: skip
NOMINAL = {"car": (4, 4, 0, 0, 3, 3), "nursery": (3, 5, 4, 0, 3, 2, 3, 3)}  # numbers of values


def sizes(name: str) -> dict[str, object]:
    """Return the parameters of a learner for a data set, which need not be on disk."""
    data = datasets.about(ENTRIES[name])
    nominal = NOMINAL.get(name, ())
    return {"n_classes": data.classes, "n_features": data.features, "nominal": nominal}


@cache
def load(name: str) -> Stream:
    """Return the rows of a data set in the order of its file, in memory."""
    stream = datasets.load(ENTRIES[name])
    X, y = stream.arrays()
    order = np.unique(y, return_index=True)[1].argsort()  # of the classes, by first appearance
    classes = tuple(stream.class_names[label] for label in order)
    names = {"nominal": NOMINAL.get(name, ()), "class_names": classes}
    return Stream.of(np.asarray(X, float), order.argsort()[y], len(classes), name, **names)
