"""Read damaged files of one format: each must give rows or a ValueError that names the file.

python -m tests.streams.damage FORMAT TIMES SEED

It is run in a process of its own, since what is wrong may crash it.
"""

import io
import random
import sys
import tempfile
import zipfile
from pathlib import Path

import numpy as np
from scipy.sparse import csr_array

from onearm import read

MARKS = (b'"', b"\n", b"\0", b"\xff", b",", b"|", b":", b"nan", b"1e999", b"-1", b"9" * 400, b"\r",
         b"'", b";", b"\t", "\u2028".encode(), b"(" * 300)  # fmt: skip
WORDS = ("red", "blue", '"a, b"', "?", "\u00e9t\u00e9")
HEADS = ("", " ", "label", "class", "1", "nan", "?", "a", "a", "\0", '"', '""', '"a,b"', '"a\nb"',
         "\ufeff", "x" * 1000, "c0", "=1+1", '"unclosed', "1e999", "\u2028", "\x1c")  # fmt: skip


def csv(rng):
    rows = [f"{rng.random():.3f},{rng.choice(WORDS)},{rng.choice('xyz')}" for _ in range(40)]
    return damaged("\n".join(["n,w,label", *rows]).encode(), rng)


def header(rng):
    d, delimiter = rng.choice((1, 2, 3, 5, 60)), rng.choice(",;\t|")
    names = [rng.choice(HEADS) if rng.random() < 0.3 else f"n{j}" for j in range(d)]
    rows = [[f"{rng.randrange(4)}" for _ in range(d)] for _ in range(rng.choice((0, 1, 5, 120)))]
    end = rng.choice(("\n", "\r\n", "\r", "\n\n"))
    text = end.join(delimiter.join(row) for row in [names, *rows])
    return (rng.choice(("", "\ufeff")) + text).encode()


def svm(rng):
    rows = [
        f"{rng.randint(1, 3)} {rng.randint(1, 5)}:{rng.random():.3f} 9:1 # c" for _ in range(30)
    ]
    return damaged("\n".join(rows).encode(), rng)


def vw(rng):
    rows = [f"{rng.randint(1, 2)}:{rng.randint(0, 1)}:0.5 |a x:{rng.random():.2f} |b:2 z"
            for _ in range(30)]  # fmt: skip
    return damaged("\n".join(rows).encode(), rng)


def npz(rng):
    """Damage one array within a sound zip file, which would notice."""
    y, X = np.arange(8) % 2, csr_array(np.eye(8, 5)).asformat(rng.choice(("csr", "csc")))
    arrays = {"X": np.eye(8), "y": y} if rng.random() < 0.3 else {
        "y": y, "format": np.array(X.format.encode()), "shape": np.array(X.shape), "data": X.data,
        "indptr": X.indptr, "indices": X.indices,
    }  # fmt: skip
    whole, chosen = io.BytesIO(), rng.choice(list(arrays))
    with zipfile.ZipFile(whole, "w") as file:
        for name, array in arrays.items():
            part = io.BytesIO()
            np.save(part, array)
            content = part.getvalue()
            file.writestr(f"{name}.npy", damaged(content, rng) if name == chosen else content)
    return whole.getvalue() if rng.random() < 0.9 else damaged(whole.getvalue(), rng)


def parquet(rng):
    import pyarrow as pa
    from pyarrow import parquet as pq

    coded = pa.array(["p", "q"] * 25).dictionary_encode()
    rows = {"a": [rng.random() for _ in range(50)], "w": ["u", "v", None, "u", "t"] * 10,
            "d": coded, "label": ["x", "y"] * 25}  # fmt: skip
    whole = io.BytesIO()
    how = {
        "compression": rng.choice(("snappy", "none", "gzip")),
        "use_dictionary": bool(rng.randrange(2)),
    }
    pq.write_table(pa.table(rows), whole, **how)
    return damaged(whole.getvalue(), rng)


def damaged(content, rng):
    """Change, insert or delete some bytes."""
    content = bytearray(content)
    for _ in range(rng.choice((1, 1, 2, 5))):
        at, what = rng.randrange(len(content) + 1), rng.random()
        if what < 0.5:
            content[at : at + 1] = bytes([rng.randrange(256)])
        elif what < 0.65:
            content[at:at] = bytes(rng.randrange(256) for _ in range(rng.randrange(20)))
        elif what < 0.75:
            del content[at : at + rng.randrange(50)]
        elif what < 0.8:
            del content[at:]
        else:
            content[at:at] = rng.choice(MARKS)
    return bytes(content)


FORMATS = {"csv": csv, "header": header, "svm": svm, "vw": vw, "npz": npz, "parquet": parquet}


def main(form, times, seed):
    """Read damaged files; return how many gave rows, how many were refused."""
    rng, counts = random.Random(f"{form} {seed}"), [0, 0]
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, f"damaged.{'csv' if form == 'header' else form}")
        for _ in range(times):
            path.write_bytes(FORMATS[form](rng))
            try:
                for _ in read(path).chunks():
                    pass
                counts[0] += 1
            except ValueError as error:
                if path.name not in str(error):
                    raise AssertionError("the file is not named") from error
                counts[1] += 1
    return counts


if __name__ == "__main__":
    print(*main(sys.argv[1], int(sys.argv[2]), int(sys.argv[3])))
