"""Damaged files of every format give rows or a ValueError: never another error, crash or hang."""

import io
import subprocess
import sys
import zipfile
from pathlib import Path

import numpy as np
import pytest

from onearm import read
from tests.streams.damage import FORMATS

ROOT = Path(__file__).parents[2]
TIMES, SECONDS = 100, 120


@pytest.mark.parametrize("form", FORMATS)
def test_damaged_files(form):
    if form == "parquet":
        pytest.importorskip("pyarrow")
    command = [sys.executable, "-m", "tests.streams.damage", form, str(TIMES), "0"]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=SECONDS)
    assert done.returncode == 0, done.stderr
    gave_rows, refused = map(int, done.stdout.split())
    assert gave_rows + refused == TIMES
    assert min(gave_rows, refused) > 0


@pytest.mark.parametrize(
    ("text", "wrong"),
    [
        ("x" * 131_073 + ",b\n1,0\n2,1\n", r"odd.csv, line 1: .*limit.*field_size_limit"),
        ('"' + "x" * 131_073 + '",b\n1,0\n2,1\n', r"odd.csv, line 1: .*limit"),
        ('"a,b\n1,0\n2,1\n', r"odd.csv, line 1: unexpected end of data"),
        ('"a' + "\n" * 200 + '",b\n1,0\n', r"line 1: .*must end within 100 lines"),
        ('""', "odd.csv is empty"),
        ("\ufeff", "odd.csv is empty"),
        ("label\n1\n2\n", "odd.csv: must have at least 2 columns"),
        ("a,label\n", "odd.csv is empty: it has no rows"),
        ("a,b\n1,0\n" + "x" * 131_073 + ",1\n", r"odd.csv, line 3: .*limit"),
    ],
)
def test_odd_headers_are_refused(write, text, wrong):
    with pytest.raises(ValueError, match=wrong):
        read(write("odd.csv", text))


@pytest.mark.parametrize(
    ("names", "features"),
    [
        ("a,a,label", ("a", "a")),
        (",,label", ("c0", "c1")),
        ("label,label,b", ("label", "b")),
        ("a\0b,b,label", ("a\0b", "b")),
        ('"a ""b""",c,label', ('a "b"', "c")),
        ("\ufeffa,b,label", ("a", "b")),
        ("label,1,2", ("1", "2")),
        (",".join(f"f{j}" for j in range(3000)) + ",label", tuple(f"f{j}" for j in range(3000))),
    ],
)
def test_odd_headers_that_can_be_read(write, names, features):
    rows = [
        ",".join(["1", "2", "3"][(t + j) % 3] for j in range(names.count(",") + 1))
        for t in range(4)
    ]
    stream = read(write("odd.csv", "\n".join([names, *rows])))
    assert stream.feature_names == features
    assert stream.n_rows == 4


@pytest.mark.parametrize("nominal", [5, "a", b"a", 1.5])
def test_nominal_must_be_a_list(write, nominal):
    with pytest.raises(ValueError, match="nominal must be a list of columns, got"):
        read(write("fine.csv", "a,y\n1,0\n2,1\n"), nominal=nominal)


def test_nominal_may_be_an_array(write):
    stream = read(write("fine.csv", "a,b,y\n1,2,0\n2,3,1\n"), nominal=np.array([0, 1]))
    assert stream.nominal == (2, 2)


@pytest.mark.parametrize(
    "header",
    [
        "{}",
        "{'descr': '<f8', 'fortran_order': False, 'shape': (10000000000000000000,)}",
        "{'descr': '<f8', 'fortran_order': False, 'shape': (8000000000000000,)}",
        "{'descr': '<f8', 'fortran_order': False, 'shape': (-1,)}",
        "{'descr': '<f8', 'fortran_order': False, 'shape': 3}",
        "{'descr': [('a', '<f8')], 'fortran_order': False, 'shape': (1,)}",
        "{'descr': '|O', 'fortran_order': False, 'shape': (1,)}",
        "{'descr': {}, 'fortran_order': False, 'shape': (1,)}",
        "{[]: 1}",
        "(" * 4000,
        "-" * 8000 + "1",
        "[" * 90 + "]" * 90,
        "{'descr': '<f8', 'shape': (1,), 'fortran_order': None}",
    ],
)
def test_odd_headers_of_arrays(tmp_path, header):
    text = header.ljust(64).encode() + b"\n"
    npy = b"\x93NUMPY\x01\x00" + len(text).to_bytes(2, "little") + text + bytes(8)
    labels = io.BytesIO()
    np.save(labels, np.array([0, 1]))
    with zipfile.ZipFile(tmp_path / "odd.npz", "w") as file:
        file.writestr("X.npy", npy)
        file.writestr("y.npy", labels.getvalue())
    with pytest.raises(ValueError, match=r"odd.npz"):
        read(tmp_path / "odd.npz")
