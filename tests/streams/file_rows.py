"""Rows that tests write into files, and what they check of those that come back."""

import numpy as np
from scipy.sparse import csr_array

from onearm import read

FRUIT = "weight,colour,class\n7,red,apple\n5,blue,plum\n6,red,plum\n"


def logged(path, **options):
    sentences = []
    read(path, log=sentences.append, **options)
    return sentences


def dense(stream):
    X, y = stream.arrays()
    return (X.toarray() if hasattr(X, "toarray") else X), y


def sound(stream):
    """Check what every stream promises, and return its rows."""
    n = 0
    for X, y in stream.chunks():
        n += len(y)
        assert X.shape == (len(y), stream.n_features)
        assert y.dtype == np.int64
        assert 0 <= y.min() <= y.max() < stream.n_classes
        if hasattr(X, "tocsr"):
            assert type(X) is csr_array
            assert X.indices.dtype == np.int32
            assert X.data.dtype == np.float64
            for start, stop in zip(X.indptr, X.indptr[1:], strict=False):
                assert (np.diff(X.indices[start:stop]) > 0).all()
        else:
            assert X.dtype == np.float64
            assert X.flags.c_contiguous
    assert n == stream.n_rows
    assert len(stream.class_names) == stream.n_classes
    return dense(stream)


def table(n=20, seed=0):
    rng = np.random.default_rng(seed)
    X = np.round(rng.normal(size=(n, 3)), 3)
    return X, np.concatenate([[0, 1, 2], rng.integers(0, 3, n - 3)])


def csv_text(X, y, delimiter=",", header="a,b,c,label"):
    rows = [
        delimiter.join([*map(repr, row.tolist()), f"L{c}"]) for row, c in zip(X, y, strict=True)
    ]
    return "\n".join([header.replace(",", delimiter), *rows]) + "\n"
