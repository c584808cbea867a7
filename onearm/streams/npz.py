"""npz: arrays X and y that NumPy saved, or a SciPy sparse matrix saved with y beside it."""

from pathlib import Path
from typing import Any

import numpy as np

from onearm.core.inputs import as_array
from onearm.core.sparse_check import check_csr
from onearm.schema.names import counted, listed
from onearm.streams.codes import Codes, classes
from onearm.streams.stream import Stream

SPARSE = ("format", "shape", "data")  # that scipy.sparse.save_npz writes, among others
Arrays = dict[str, np.ndarray]


def npz_stream(path: Path, name: str, log: Any) -> Stream:
    arrays = _arrays(path)
    if "y" not in arrays or not ("X" in arrays or all(key in arrays for key in SPARSE)):
        allowed = "arrays X and y, or a sparse matrix that SciPy saved and y"
        raise ValueError(f"{path.name} must have {allowed}, got {listed(arrays) or 'none'}")
    y, codes = arrays["y"], Codes(gaps=False)
    shape = arrays["X"].shape if "X" in arrays else tuple(np.atleast_1d(arrays["shape"]).tolist())
    if y.ndim != 1 or len(shape) != 2 or len(y) != shape[0]:
        shapes = f"shapes {shape} and {y.shape}"
        raise ValueError(f"{path.name}: X must be rows, y one label for each, got {shapes}")
    if 0 in shape:
        what = "columns" if len(y) else "rows"
        raise ValueError(f"{path.name} is empty: it has no {what}")
    try:
        X = as_array(arrays["X"], np.float64, "X") if "X" in arrays else _sparse(arrays, *shape)
        y = np.char.decode(y, "utf-8") if y.dtype.kind == "S" else y
        coded = np.array([codes[str(label)] for label in y.tolist()])
        of_word, names = classes(codes.words)
        stream = Stream.of(X, of_word[coded], len(names), name, class_names=names)
    except ValueError as error:
        raise ValueError(f"{path.name}: {error}") from None
    size = f"{counted(len(y), 'row')}, {counted(stream.n_features, 'feature')}"
    log(f"{path.name}: {size} in memory; {stream.n_classes:,} classes")
    return stream


def _arrays(path: Path) -> Arrays:
    """Read all arrays of a file, none of which may hold Python objects."""
    with path.open("rb") as opened:
        try:
            file = np.load(opened, allow_pickle=False)
            if isinstance(file, np.ndarray):
                raise ValueError("it has one array, as npy")
            with file:
                return {key: np.asarray(file[key]) for key in file.files}
        except Exception as error:  # NumPy does not log which ones a damaged file may raise
            kind = "" if isinstance(error, ValueError) else f"{type(error).__name__}: "
            wrong = f"{kind}{error}"
            raise ValueError(f"{path.name} must be an npz file without objects: {wrong}") from None


def _sparse(arrays: Arrays, n: int, d: int) -> Any:
    """Return the CSR matrix of checked arrays: SciPy would index with whatever they have."""
    from scipy.sparse import coo_array, csc_array, csr_array

    try:
        form, data = arrays["format"].astype(str).item(), arrays["data"]
        if form in ("csr", "csc"):
            indptr, indices = arrays["indptr"], arrays["indices"]
            check_csr(indptr, indices, data, (n, d) if form == "csr" else (d, n))
            kind: Any = csr_array if form == "csr" else csc_array
            X = kind((data, indices, indptr), shape=(n, d))
        elif form == "coo":
            row, col = arrays["row"], arrays["col"]
            for indices, size in ((row, n), (col, d)):
                check_csr(np.array([0, len(data)]), indices, data, (1, size))
            X = coo_array((data, (row, col)), shape=(n, d))
        else:
            raise ValueError(f"format must be csr, csc or coo, got {form!r}: save X.tocsr()")
    except (KeyError, TypeError, ValueError) as error:
        raise ValueError(f"must have a sparse matrix as SciPy saves it: {error}") from None
    X = csr_array(X.astype(np.float64))
    X.sum_duplicates()
    parts = as_array(X.indices, np.int32, "indices"), as_array(X.indptr, np.int32, "indptr")
    return csr_array((X.data, *parts), shape=X.shape)
