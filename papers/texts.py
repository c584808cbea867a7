"""Texts as sparse rows: Reuters-21578, 20 newsgroups, and RCV1 where scikit-learn can fetch it.

Reuters-21578 stands in for the four topics of RCV1, which cannot be shipped: of its 65 topics the
four largest, weighed like RCV1. A term that occurs f times in a text and in n of N texts weighs
(1 + ln f)·ln(N/n), and rows have norm 1; n is counted over all rows, labels unseen.
"""

import lzma
from functools import cache

import numpy as np
from scipy.sparse import csr_array

from onearm import Stream
from papers.z19.data import find

TOPICS = ("CCAT", "ECAT", "GCAT", "MCAT")


@cache
def load(name: str) -> Stream:
    """The rows of a data set in the order of its file, in memory."""
    X, y = {"reuters": _reuters, "newsgroups": _newsgroups, "rcv1": _rcv1}[name]()
    return Stream.of(X, y, name=name)


def weighed(counts: csr_array) -> csr_array:
    """Rows of norm 1 by (1 + ln f)·ln(N/n)."""
    n = np.bincount(counts.indices, minlength=counts.shape[1])
    rare = np.log(counts.shape[0] / np.maximum(n, 1))
    X = counts.copy()
    X.data = (1.0 + np.log(counts.data)) * rare[counts.indices]
    return scaled(X)


def scaled(X: csr_array) -> csr_array:
    """Rows of norm 1; those of zeros stay."""
    sizes = np.diff(X.indptr)
    norms = np.sqrt(np.bincount(np.repeat(np.arange(X.shape[0]), sizes), X.data**2, X.shape[0]))
    X = X.copy()
    X.data = X.data / np.repeat(np.where(norms > 0, norms, 1.0), sizes)
    return X


def largest(y: np.ndarray, n: int) -> tuple[np.ndarray, np.ndarray]:
    """Which rows have one of the n commonest labels, and these numbered from the commonest."""
    labels, counts = np.unique(y, return_counts=True)
    kept = labels[np.argsort(-counts, kind="stable")[:n]]
    rows = np.flatnonzero(np.isin(y, kept))
    return rows, np.argmax(y[rows, None] == kept, axis=1)


def single(marks: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Which rows have exactly one mark, and which one; marks are (rows, topics)."""
    rows = np.flatnonzero(marks.sum(axis=1) == 1)
    return rows, np.argmax(marks[rows], axis=1)


def _svmlight(name: str) -> tuple[csr_array, np.ndarray]:
    from sklearn.datasets import load_svmlight_file

    with lzma.open(find(f"{name}.svm.xz")) as file:
        X, y = load_svmlight_file(file)
    return _narrow(X), y.astype(np.int64)


def _narrow(X: csr_array) -> csr_array:
    """With indices of 32 bits, as the kernels are compiled for."""
    parts = X.data.astype(float), X.indices.astype(np.int32), X.indptr.astype(np.int32)
    return csr_array(parts, shape=X.shape)


def _reuters() -> tuple[csr_array, np.ndarray]:
    counts, y = _svmlight("reuters21578")
    rows, labels = largest(y, len(TOPICS))
    return weighed(counts[rows]), labels


def _newsgroups() -> tuple[csr_array, np.ndarray]:
    counts, y = _svmlight("newsgroups20_counts")
    counts.data[:] = 1.0
    return counts, y - 1


def _rcv1() -> tuple[csr_array, np.ndarray]:
    from sklearn.datasets import fetch_rcv1

    found = fetch_rcv1()
    columns = [list(found.target_names).index(topic) for topic in TOPICS]
    rows, labels = single(found.target[:, columns].toarray())
    return _narrow(found.data[rows]), labels
