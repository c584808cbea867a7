"""Tables of text come back as they were written, in any chunks: what is given, what is inferred."""

import bz2
import gzip
import lzma
import tracemalloc

import numpy as np
import pytest

from onearm import HoeffdingTree, read
from onearm.streams import delimited
from tests.streams.file_rows import FRUIT, csv_text, dense, logged, sound, table


@pytest.mark.parametrize("delimiter", [",", ";", "\t", "|"])
def test_csv_with_any_delimiter(write, small_chunks, delimiter):
    X, y = table()
    stream = read(write("rows.csv", csv_text(X, y, delimiter)))
    assert (stream.name, stream.n_rows, stream.in_memory) == ("rows", 20, False)
    assert stream.feature_names == ("a", "b", "c")
    assert stream.class_names == ("L0", "L1", "L2")
    assert stream.nominal == ()
    for _ in range(2):
        got, labels = sound(stream)
        assert np.array_equal(got, X)
        assert np.array_equal(labels, y)
    assert [len(labels) for _, labels in stream.chunks()] == [3] * 6 + [2]


@pytest.mark.parametrize(("suffix", "pack"), [("gz", gzip), ("bz2", bz2), ("xz", lzma)])
def test_compressed(write, suffix, pack):
    stream = read(write(f"fruit.csv.{suffix}", pack.compress(FRUIT.encode())))
    assert (stream.name, stream.n_rows) == ("fruit", 3)
    svm = read(write(f"rows.SVM.{suffix.upper()}", pack.compress(b"1 1:2\n2 2:3\n")), name="two")
    assert (svm.name, svm.n_features) == ("two", 2)


@pytest.mark.parametrize("suffix", ["gz", "bz2", "xz"])
def test_damaged_compressed_files_are_refused(write, suffix):
    pack = {"gz": gzip, "bz2": bz2, "xz": lzma}[suffix]
    cut = pack.compress(csv_text(*table(500)).encode())[:-40]
    with pytest.raises(ValueError, match=f"rows.csv.{suffix} is damaged after line"):
        read(write(f"rows.csv.{suffix}", cut))


def test_nominal_columns_and_missing_values(write, small_chunks):
    text = "n,w,class\n1,x,b\n?,y,a\nNA,x,a\n,,b\nnull,?,a\nnan,NaN,b\n-2e3,z,a\n"
    stream = read(write("gaps.csv", text))
    X, y = sound(stream)
    nan = np.nan
    assert np.array_equal(X[:, 0], [1, nan, nan, nan, nan, nan, -2000], equal_nan=True)
    assert X[:, 1].tolist() == [0, 1, 0, 3, 3, 3, 2]
    assert stream.nominal == (0, 4)
    assert y.tolist() == [1, 0, 0, 1, 0, 1, 0]
    assert stream.learner(HoeffdingTree).nominal == (0, 4)


def test_a_column_that_turns_out_nominal_late(write, small_chunks):
    rows = [f"{t % 4},{t % 3},{'ab'[t % 2]}" for t in range(10)]
    rows[7] = "1,two,b"
    stream = read(write("late.csv", "u,v,y\n" + "\n".join(rows)))
    X, _ = sound(stream)
    assert stream.nominal == (0, 4)
    assert X[:, 0].tolist() == [0, 1, 2, 3, 0, 1, 2, 1, 0, 1]
    assert X[:, 1].tolist() == [0, 1, 2, 0, 1, 2, 0, 3, 2, 0]
    assert logged(write("late.csv", "u,v,y\n" + "\n".join(rows)))[1] == (
        "late.csv: 10 rows, 2 features; label: column 'y' (the last), 2 classes; "
        "nominal: 'v'; missing: none"
    )


def test_given_columns(write):
    path = write("given.csv", "a,b,c\n1,5,x\n2,5,y\n1,7,x\n")
    stream = read(path, label="a", nominal=["b", -1], name="given")
    X, y = sound(stream)
    assert (stream.feature_names, stream.nominal) == (("b", "c"), (2, 2))
    assert (X.tolist(), y.tolist()) == ([[0, 0], [0, 1], [1, 0]], [0, 1, 0])
    assert read(path, label=np.int64(1)).class_names == ("5", "7")
    assert "column 'a' (given)" in logged(path, label=0)[1]
    with pytest.raises(
        ValueError, match=r"line 2, column 'c': must be a number, .*got 'x'.*nominal"
    ):
        read(path, label="a", nominal=())


@pytest.mark.parametrize(
    ("header", "label"),
    [("Y,a,b", 0), ("a,Target,y", 1), ("class,label,y", 1), ("a,CLASS,target", 1), ("a,b,c", 2)],
)
def test_which_column_is_the_label(write, header, label):
    stream = read(write("which.csv", header + "\n1,2,3\n4,5,6\n"))
    names = header.split(",")
    assert stream.feature_names == tuple(names[:label] + names[label + 1 :])


@pytest.mark.parametrize(
    ("text", "named"),
    [
        ("a,b,c\n1,2,x\n3,4,y\n", True),
        ("1,2,x\n3,4,y\n", False),
        ("u,v,x\nu,w,y\n", False),  # u again
        ("one,two,three\nu,v,x\nu,w,y\n", True),
        ("y,n,y,dem\nn,n,y,rep\n", False),  # values, not names
        (",b,c\n0,1,x\n1,2,y\n", True),  # an index without a name
        ("a,a,c\n0,1,x\n1,2,y\n", True),
        ("?,u,x\nw,v,y\n", False),
        ("u,x\n,y\n", True),  # nothing speaks against it
        ("1e200,x\n1,y\n", False),
    ],
)
def test_header_or_not(write, text, named):
    path = write("header.csv", text)
    table = delimited.Delimited(path)
    assert table.named == named
    assert ("names the columns" in table.sentence()) == named
    assert table.names[0] in ((text.split(",")[0] or "c0",) if named else ("c0",))


def test_without_a_header(write):
    stream = read(write("bare.data", "1,2,x\n3,4,y\n"))
    assert (stream.feature_names, stream.n_rows) == ((), 2)
    assert read(write("bare.data", "1,2,x\n3,4,y\n"), label="c0").class_names == ("1", "3")
    with pytest.raises(ValueError, match=r"'c0', 'c1', 'c2'.* got 'z'"):
        read(write("bare.data", "1,2,x\n3,4,y\n"), label="z")


def test_a_given_name_makes_a_header(write):
    stream = read(write("years.csv", "2019,2020,y\n1,2,0\n3,4,1\n"), label="y")
    assert (stream.feature_names, stream.n_rows) == (("2019", "2020"), 2)


def test_labels_are_sorted_as_numbers_if_all_are(write):
    def names(labels):
        rows = "".join(f"{t},{label}\n" for t, label in enumerate(labels))
        return read(write("labels.csv", "x,y\n" + rows)).class_names

    assert names(["10", "9", "-1", "9.5"]) == ("-1", "9", "9.5", "10")
    assert names(["10", "9", "nine"]) == ("10", "9", "nine")
    assert names(["1", "1.0", "02", "2"]) == ("1", "02")
    big = [str(2**60 + 1), str(2**60)]
    assert names(big) == tuple(reversed(big))
    assert names(["1_0", "9"]) == ("1_0", "9")


def test_quotes(write, small_chunks):
    rows = [
        '1,"a, b",x',
        '2,"say ""so""",y',
        '3,"two\nlines",x',
        '4, "a, b" ,y'.replace('" ,', '",'),
    ]
    stream = read(write("quoted.csv", "n,words,label\n" + "\n".join(rows * 3) + "\n"))
    X, y = sound(stream)
    assert stream.n_rows == 12
    assert X[:, 0].tolist() == [1, 2, 3, 4] * 3
    assert X[:, 1].tolist() == [0, 1, 2, 0] * 3
    assert y.tolist() == [0, 1] * 6


def test_quotes_across_chunks(write, monkeypatch):
    text = 'n,w,y\n1,"a\n\n\nb",0\n\n\n2,"c\nd",1\n3,e,0\n4,"f\n",1\n\n'
    whole = dense(read(write("across.csv", text)))
    for rows in range(1, 12):
        monkeypatch.setattr(delimited, "ROWS", rows)
        X, y = sound(read(write("across.csv", text)))
        assert np.array_equal(X, whole[0])
        assert np.array_equal(y, whole[1])


def test_a_header_of_two_lines(write):
    stream = read(write("two.csv", '"a\nb",c,d\n1,2,3\n4,5,6\n'))
    assert stream.feature_names == ("a\nb", "c")
    assert dense(stream)[0].tolist() == [[1, 2], [4, 5]]


def test_blank_lines_blanks_bom_and_line_ends(write, small_chunks):
    text = "\ufeff\r\n a , b ,y\r\n\r\n 1 , 2 ,u\r\n   \r\n\r\n\r\n3, nan ,v \r\n\r\n\r\n\r\n\r\n"
    stream = read(write("blanks.csv", text))
    X, y = sound(stream)
    assert (stream.feature_names, stream.class_names) == (("a", "b"), ("u", "v"))
    assert np.array_equal(X, [[1, 2], [3, np.nan]], equal_nan=True)
    assert y.tolist() == [0, 1]


def test_both_readers_agree(write, monkeypatch):
    X, y = table(60)
    text = csv_text(X * 1e-7, y) + "nan,1e50,-.5,L1\n 1., +2 ,3E+2,L0\n"
    fast = dense(read(write("both.csv", text)))
    monkeypatch.setattr(delimited.Delimited, "_numbers", lambda *args: None)
    slow = dense(read(write("both.csv", text)))
    assert np.array_equal(fast[0], slow[0], equal_nan=True)
    assert np.array_equal(fast[1], slow[1])


def test_what_is_a_number(write):
    for text in ("1_0", "0x10", "1 2", "1d5", "#1", "1,5,0"):
        assert read(write("one.csv", f"a;y\n{text};0\n2;1\n")).nominal == (2,)
    for text in (" 1 ", "+1", "1.", ".5", "1e-3", "-NaN", "\u0661"):
        assert read(write("one.csv", f"a;y\n{text};0\n2;1\n")).nominal == ()


def test_a_block_of_longer_rows(write, small_chunks):
    text = "a,b,y\n" + "1,2,0\n2,3,1\n1,2,1\n" + "1,2,0,7\n" * 3
    with pytest.raises(ValueError, match="line 5: must have 3 fields, got 4"):
        read(write("longer.csv", text))


def test_memory_is_bounded(write):
    line, peaks = ",".join(["0.123456789"] * 10), []
    for n in (20_000, 60_000):
        path = write("large.csv", "".join(f"{line},{t % 3}\n" for t in range(n)))
        tracemalloc.start()
        assert sum(len(y) for _, y in read(path).chunks()) == n
        peaks.append(tracemalloc.get_traced_memory()[1])
        tracemalloc.stop()
    assert peaks[1] < 1.2 * peaks[0]


def test_semicolons_go_before_commas_within_numbers(write):
    stream = read(write("one.csv", "1.5;a,b;x\n2.5;c,d;y\n"))
    assert (stream.n_features, stream.class_names) == (2, ("x", "y"))


def test_numbers_that_name_columns(write):
    stream = read(write("one.csv", "2019,2020,label\n1,2,a\n3,4,b\n"))
    assert stream.feature_names == ("2019", "2020")
    assert stream.class_names == ("a", "b")
    votes = read(write("two.csv", "y,n,1\nn,y,2\ny,y,1\n"))  # y is a vote, not a label
    assert votes.n_rows == 3
    sounds = read(write("three.csv", "1.0,target\n2.0,noise\n3.0,noise\n"))
    assert sounds.n_rows == 3


def test_a_word_among_numbers_is_warned_of(write):
    """One wrong value turns a column of numbers into a category: nobody should overlook it."""
    rows = "".join(f"{t % 50},{t % 3}\n" for t in range(200))
    logged = []
    read(write("typo.csv", f"age,label\n{rows}old,0\n?,1\n"), log=logged.append)
    assert logged[-1] == (
        "warning: typo.csv: column 'age' is a category because of 'old' among 50 numbers: "
        "is that a mistake in the data?"
    )
    logged.clear()
    read(write("gap.csv", f"age,label\n{rows}?,1\n"), log=logged.append)
    given = write("given.csv", f"age,label\n{rows}old,0\n")
    read(given, nominal=["age"], log=logged.append)
    assert not [sentence for sentence in logged if sentence.startswith("warning")]


def test_many_values_are_logged(write):
    logged = []
    rows = "".join(f"id{t},{t % 120}w,{t % 3}\n" for t in range(1000))
    read(write("ids.csv", "user,day,label\n" + rows), log=logged.append)
    assert "nominal: 'user' (1,000 values), 'day' (120 values); missing: none" in logged[-1]
    assert logged[-1].endswith("; nearly as many values as rows: 'user'")
