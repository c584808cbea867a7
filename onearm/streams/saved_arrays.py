"""npz: arrays X and y that NumPy saved, or a SciPy sparse matrix saved with y beside it."""

import zipfile
from pathlib import Path
from typing import Any

import numpy as np

from onearm.inputs import as_array
from onearm.streams.codes import Codes, classes
from onearm.streams.lines import counted, listed
from onearm.streams.stream import Stream

SPARSE = ("format", "shape", "data")  # that scipy.sparse.save_npz writes, among others


def npz_stream(path: Path, name: str, say: Any) -> Stream:
    """Return the arrays of a file as a stream; they lie in memory."""
    try:
        file = np.load(path, allow_pickle=False)
        if isinstance(file, np.ndarray):
            raise ValueError("it has one array, as npy")
        with file:
            arrays = {key: file[key] for key in file.files}
    except (ValueError, OSError, EOFError, zipfile.BadZipFile) as error:
        raise ValueError(f"{path.name} must be an npz file without objects: {error}") from None
    if "y" not in arrays or not ("X" in arrays or all(key in arrays for key in SPARSE)):
        allowed = "arrays X and y, or a sparse matrix that SciPy saved and y"
        raise ValueError(f"{path.name} must have {allowed}, got {listed(arrays) or 'none'}")
    X, y, codes = arrays.get("X"), arrays["y"], Codes(gaps=False)
    try:
        X = _sparse(path) if X is None else X
    except (KeyError, ValueError) as error:
        raise ValueError(
            f"{path.name} must have a sparse matrix as SciPy saves it: {error}"
        ) from None
    if y.ndim != 1 or X.ndim != 2 or len(y) != X.shape[0]:
        shapes = f"shapes {X.shape} and {y.shape}"
        raise ValueError(f"{path.name}: X must be rows, y one label for each, got {shapes}")
    if not len(y):
        raise ValueError(f"{path.name} is empty: it has no rows")
    try:
        X = as_array(X, np.float64, "X") if "X" in arrays else X
        y = np.char.decode(y, "utf-8") if y.dtype.kind == "S" else y
        coded = np.array([codes[str(label)] for label in y.tolist()])
        of_word, names = classes(codes.words)
        stream = Stream.of(X, of_word[coded], len(names), name, class_names=names)
    except ValueError as error:
        raise ValueError(f"{path.name}: {error}") from None
    size = f"{counted(len(y), 'row')}, {counted(stream.n_features, 'feature')}"
    say(f"{path.name}: {size} in memory; {stream.n_classes:,} classes")
    return stream


def _sparse(path: Path) -> Any:
    from scipy.sparse import csr_array, load_npz

    X = csr_array(load_npz(path), dtype=np.float64)
    X.sum_duplicates()
    indices = X.indices.astype(np.int32)
    return csr_array((X.data, indices, X.indptr.astype(np.int32)), shape=X.shape)
