"""Errors in a file or in the options of `read` name the place, what is allowed and the value."""

import pytest

from onearm import read
from onearm.streams import codes
from tests.streams.file_rows import FRUIT


@pytest.mark.parametrize(
    ("text", "wrong"),
    [
        ("", "bad.csv is empty"),
        ("\n \n", "bad.csv is empty"),
        ("a,b,label\n", "bad.csv is empty"),
        ("a\n1\n2\n", "bad.csv: must have at least 2 columns with one of semicolons, .* got 'a'"),
        (
            "a;b;y\n1,5;0.5;0\n2;1;1\n",
            "column 'a': numbers must have a point, not a comma, got '1,5'",
        ),
        ("a,y\n1,0\n2,-nan\n", "the label must not be missing, got '-nan'"),
        ("a,b\n1,x\n2,x\n", "column 'b', must have at least 2 classes, got only 'x'"),
        ("a,b\n1,x\n\n2,y,3\n", "bad.csv, line 4: must have 2 fields, got 3"),
        ("a,b,c\n1,2,x\n2,y\n", "bad.csv, line 3: must have 3 fields, got 2"),
        ("a,b\n1,x\ninf,y\n", "bad.csv, line 3, column 'a': must be finite .*, got inf"),
        ("a,b\n1,x\n\n1e101,y\n", "bad.csv, line 4, column 'a': must be finite .*, got 1e101"),
        (
            "a,b\n1,x\n2,NA\n",
            "bad.csv, line 3, column 'b': the label must not be missing, got 'NA'",
        ),
        ('a,b\n1,x\n"2"3,y\n', "bad.csv, line 3: .*expected after"),
        ('a,b\n1,x\n"2,y\n', "bad.csv, line 3: unexpected end of data"),
        (f'a,b\n1,x\n"{"z" * 2**17}z",y\n', "bad.csv, line 3: .*limit.*field_size_limit"),
    ],
)
def test_invalid_tables_are_refused(write, text, wrong):
    with pytest.raises(ValueError, match=wrong):
        read(write("bad.csv", text))


@pytest.mark.parametrize(
    ("options", "wrong"),
    [
        ({"label": "sort"}, r"label must be one of .*'weight', 'colour', 'class'.* got 'sort'"),
        ({"label": 3}, r"label must be .* an index in \[-3, 2\], got 3"),
        ({"label": True}, "label must be .* got True"),
        ({"nominal": ["size"]}, "nominal must be one of .* got 'size'"),
        ({"nominal": ["class"]}, "nominal must not have the label, 'class'"),
        ({"nominal": "colour"}, "nominal must be a list of columns, got 'colour'"),
        ({"n_features": 3}, "n_features must be None"),
    ],
)
def test_options_are_checked(write, options, wrong):
    with pytest.raises(ValueError, match=wrong):
        read(write("fruit.csv", FRUIT), **options)


def test_a_name_of_two_columns_is_refused(write):
    with pytest.raises(ValueError, match="label 'a' is the name of several columns"):
        read(write("twice.csv", "a,a,b\n1,2,3\n2,3,4\n"), label="a")


def test_only_tables_have_columns(write):
    path = write("rows.svm", "1 1:1\n2 1:2\n")
    with pytest.raises(ValueError, match=r"label must be None: rows.svm is not a table, got 'y'"):
        read(path, label="y")
    with pytest.raises(ValueError, match="nominal must be None"):
        read(path, nominal=[0])
    with pytest.raises(ValueError, match="n_features must be a whole number of at least 1, got 0"):
        read(path, n_features=0)


def test_invalid_paths_are_refused(write, tmp_path):
    with pytest.raises(FileNotFoundError, match=r"there is none, got .*none.csv"):
        read(tmp_path / "none.csv")
    with pytest.raises(FileNotFoundError, match="not a folder"):
        read(tmp_path)
    with pytest.raises(ValueError, match=r"one of .csv, .tsv, .* got 'rows.xlsx'"):
        read(write("rows.xlsx", FRUIT))
    with pytest.raises(ValueError, match=r"one of .* got 'rows.gz'"):
        read(write("rows.gz", FRUIT))
    with pytest.raises(ValueError, match=r".npz files must not be compressed again"):
        read(write("rows.npz.gz", FRUIT))
    with pytest.raises(ValueError, match="must be an npz file"):
        read(write("rows.npz", FRUIT))
    for name in ("rows.svm", "rows.vw"):
        with pytest.raises(ValueError, match=f"{name} is empty"):
            read(write(name, "\n"))
    assert read(str(write("fruit.csv", FRUIT))).n_rows == 3


def test_text_that_is_not_utf8_is_refused(write):
    with pytest.raises(
        ValueError, match=r"latin.csv, after line \d: must be UTF-8 text, got byte 0xe9"
    ):
        read(write("latin.csv", "a,b\n1,caf\xe9\n2,tea\n".encode("latin-1")))


def test_too_many_values_are_refused(write, monkeypatch):
    monkeypatch.setattr(codes, "MAX_WORDS", 3)
    with pytest.raises(
        ValueError, match="line 5, column 'a': must have at most 3 different values"
    ):
        read(write("many.csv", "a,b\nu,1\nv,2\nw,1\nx,2\n"))


def test_a_file_that_changes_is_noticed(write):
    stream = read(write("fruit.csv", FRUIT))
    for more, wrong in (
        ("8,green,plum\n", "line 5, column 'colour': 'green' is new: the file has changed"),
        ("8,red,pear\n", "line 5, column 'class': 'pear' is new"),
        ("8,red,plum\n", "had 3 rows, now 4"),
        ("big,red,plum\n", "line 5, column 'weight': must be a number"),
    ):
        write("fruit.csv", FRUIT + more)
        with pytest.raises(ValueError, match=wrong):
            list(stream.chunks())
    sparse = read(write("rows.svm", "1 1:1\n2 2:2\n"))
    for more, wrong in (("1 3:1\n", "now 3"), ("3 1:1\n", "line 3: '3' is new")):
        write("rows.svm", "1 1:1\n2 2:2\n" + more)
        with pytest.raises(ValueError, match=wrong):
            list(sparse.chunks())
