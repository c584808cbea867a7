"""Files of every format come back as they were written, in any chunks; wrong ones are refused."""

import bz2
import gzip
import lzma
import sys
import tracemalloc

import numpy as np
import pytest
from scipy.sparse import csr_array, random_array, save_npz

from onearm import HoeffdingTree, read
from onearm.streams import codes, delimited, parquet, sparse_lines
from onearm.streams.vowpal import column

FRUIT = "weight,colour,class\n7,red,apple\n5,blue,plum\n6,red,plum\n"


@pytest.fixture
def write(tmp_path):
    def written(name, text):
        path = tmp_path / name
        path.write_bytes(text.encode() if isinstance(text, str) else text)
        return path

    return written


@pytest.fixture
def small(monkeypatch):
    """Chunks of three rows."""
    for module in (delimited, sparse_lines, parquet):
        monkeypatch.setattr(module, "ROWS", 3)


def said(path, **told):
    sentences = []
    read(path, say=sentences.append, **told)
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


# Tables


@pytest.mark.parametrize("delimiter", [",", ";", "\t", "|"])
def test_csv_with_any_delimiter(write, small, delimiter):
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
def test_damaged(write, suffix):
    pack = {"gz": gzip, "bz2": bz2, "xz": lzma}[suffix]
    cut = pack.compress(csv_text(*table(500)).encode())[:-40]
    with pytest.raises(ValueError, match=f"rows.csv.{suffix} is damaged after line"):
        read(write(f"rows.csv.{suffix}", cut))


def test_nominal_columns_and_missing_values(write, small):
    text = "n,w,class\n1,x,b\n?,y,a\nNA,x,a\n,,b\nnull,?,a\nnan,NaN,b\n-2e3,z,a\n"
    stream = read(write("gaps.csv", text))
    X, y = sound(stream)
    nan = np.nan
    assert np.array_equal(X[:, 0], [1, nan, nan, nan, nan, nan, -2000], equal_nan=True)
    assert X[:, 1].tolist() == [0, 1, 0, 2, 2, 2, 3]
    assert stream.nominal == (0, 4)
    assert y.tolist() == [1, 0, 0, 1, 0, 1, 0]
    assert stream.learner(HoeffdingTree).nominal == (0, 4)


def test_a_column_that_holds_words_late(write, small):
    rows = [f"{t % 4},{t % 3},{'ab'[t % 2]}" for t in range(10)]
    rows[7] = "1,two,b"
    stream = read(write("late.csv", "u,v,y\n" + "\n".join(rows)))
    X, _ = sound(stream)
    assert stream.nominal == (0, 4)
    assert X[:, 0].tolist() == [0, 1, 2, 3, 0, 1, 2, 1, 0, 1]
    assert X[:, 1].tolist() == [0, 1, 2, 0, 1, 2, 0, 3, 2, 0]
    assert said(write("late.csv", "u,v,y\n" + "\n".join(rows)))[1] == (
        "late.csv: 10 rows, 2 features; label: column 'y' (the last), 2 classes; "
        "nominal: 'v'; missing: none"
    )


def test_told_columns(write):
    path = write("told.csv", "a,b,c\n1,5,x\n2,5,y\n1,7,x\n")
    stream = read(path, label="a", nominal=["b", -1], name="told")
    X, y = sound(stream)
    assert (stream.feature_names, stream.nominal) == (("b", "c"), (2, 2))
    assert (X.tolist(), y.tolist()) == ([[0, 0], [0, 1], [1, 0]], [0, 1, 0])
    assert read(path, label=np.int64(1)).class_names == ("5", "7")
    assert "column 'a' (told)" in said(path, label=0)[1]
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


def test_a_told_name_makes_a_header(write):
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


def test_quotes(write, small):
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


def test_blank_lines_blanks_bom_and_line_ends(write, small):
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
    for text in ("1_0", "0x10", "1 2", "1d5", "#1", "1,5"):
        assert read(write("one.csv", f"a;y\n{text};0\n2;1\n")).nominal == (2,)
    for text in (" 1 ", "+1", "1.", ".5", "1e-3", "-NaN", "\u0661"):
        assert read(write("one.csv", f"a;y\n{text};0\n2;1\n")).nominal == ()


def test_a_block_of_longer_rows(write, small):
    text = "a,b,y\n" + "1,2,0\n2,3,1\n1,2,1\n" + "1,2,0,7\n" * 3
    with pytest.raises(ValueError, match="line 5: must have 3 fields, got 4"):
        read(write("longer.csv", text))


def test_parquet(tmp_path, small):
    pa, pq = pytest.importorskip("pyarrow"), pytest.importorskip("pyarrow.parquet")
    rows = {
        "whole": pa.array([1, None, 3, 4, 5]),
        "real": pa.array([0.5, 1.5, None, float("nan"), 2.0]),
        "bit": pa.array([True, False, None, True, True]),
        "word": pa.array(["b", "a", None, "b", "?"]),
        "side": pa.array(["l", "r", "l", "l", "r"]),
        "kind": pa.array(["u", "v", "u", None, "u"]).dictionary_encode(),
        "digits": pa.array(["1", "2", "", "4", "5"]),
        "label": pa.array([10, 9, 10, 9, 2]),
    }
    pq.write_table(pa.table(rows), tmp_path / "typed.parquet")
    stream = read(tmp_path / "typed.parquet")
    X, y = sound(stream)
    nan = np.nan
    expected = [
        [1, nan, 3, 4, 5], [0.5, 1.5, nan, nan, 2], [1, 0, nan, 1, 1],
        [0, 1, 2, 0, 2], [0, 1, 0, 0, 1], [0, 1, 0, 2, 0], [1, 2, nan, 4, 5],
    ]  # fmt: skip
    assert np.array_equal(X.T, expected, equal_nan=True)
    assert stream.nominal == (0, 0, 0, 3, 2, 3, 0)
    assert (y.tolist(), stream.class_names) == ([2, 1, 2, 1, 0], ("2", "9", "10"))
    assert stream.feature_names == ("whole", "real", "bit", "word", "side", "kind", "digits")
    assert [len(labels) for _, labels in stream.chunks()] == [3, 2]
    with pytest.raises(ValueError, match=r"typed.parquet, row 3, column 'bit': the label must not"):
        read(tmp_path / "typed.parquet", label="bit")
    told = read(tmp_path / "typed.parquet", label="side", nominal=["label", "kind", "word"])
    assert (told.class_names, told.nominal) == (("l", "r"), (0, 0, 0, 3, 3, 0, 3))


def test_parquet_refuses(tmp_path, write, monkeypatch):
    pa, pq = pytest.importorskip("pyarrow"), pytest.importorskip("pyarrow.parquet")
    pq.write_table(pa.table({"a": [[1], [2]], "y": [0, 1]}), tmp_path / "nested.pq")
    with pytest.raises(ValueError, match=r"columns must be numbers, .* got 'a'"):
        read(tmp_path / "nested.pq")
    pq.write_table(pa.table({"a": [1.0, np.inf], "y": [0, 1]}), tmp_path / "large.pq")
    with pytest.raises(ValueError, match=r"large.pq, row 2, column 'a': must be finite .* inf"):
        read(tmp_path / "large.pq")
    with pytest.raises(ValueError, match=r"text.pq must be a Parquet file"):
        read(write("text.pq", FRUIT))
    monkeypatch.setitem(sys.modules, "pyarrow.parquet", None)
    with pytest.raises(ImportError, match=r"large.pq: .*onearm\[parquet\]"):
        read(tmp_path / "large.pq")


def test_memory_is_bounded(write):
    line, peaks = ",".join(["0.123456789"] * 10), []
    for n in (20_000, 60_000):
        path = write("large.csv", "".join(f"{line},{t % 3}\n" for t in range(n)))
        tracemalloc.start()
        assert sum(len(y) for _, y in read(path).chunks()) == n
        peaks.append(tracemalloc.get_traced_memory()[1])
        tracemalloc.stop()
    assert peaks[1] < 1.2 * peaks[0]


# Sparse rows


def test_svmlight(write, small):
    X = random_array((10, 7), density=0.4, format="csr", rng=np.random.default_rng(1))
    X = X.toarray()
    X[3], X[0, 6] = 0, 1.5
    y = np.arange(10) % 3 - 1

    def text(first):
        rows = (
            " ".join([f"{label:+d}", *(f"{j + first}:{v!r}" for j, v in enumerate(x) if v)])
            for x, label in zip(X.tolist(), y.tolist(), strict=True)
        )
        return "# made here\n" + "\n\n".join(f"{row}  # a comment" for row in rows)

    for first in (0, 1):
        got, labels = sound(stream := read(write("rows.svm", text(first))))
        assert np.array_equal(got, X)
        assert np.array_equal(labels, y + 1)
        assert stream.class_names == ("-1", "+0", "+1")
        expected = (
            f"rows.svm: 10 rows, 7 features (the largest index), indices from {first}; 3 classes"
        )
        assert said(write("rows.svm", text(first))) == [expected]
    wide = read(write("rows.libsvm", text(1)), n_features=50)
    assert wide.n_features == sound(wide)[0].shape[1] == 50
    with pytest.raises(ValueError, match=r"n_features must be at least 7, .* got 6"):
        read(write("rows.svmlight", text(1)), n_features=6)


def test_svmlight_sorts_indices(write):
    X, _ = sound(read(write("rows.svm", "a 3:1 1:2\nb 2:5\n")))
    assert X.tolist() == [[2, 0, 1], [0, 5, 0]]


@pytest.mark.parametrize(
    ("line", "wrong"),
    [
        ("1:2 3:4", "must begin with a label, got '1:2'"),
        ("1,2 3:4", "must have one label, got '1,2'"),
        ("1 qid:2 3:4", "features must be index:value .* got 'qid:2'"),
        ("1 -1:4", "got '-1:4'"),
        ("1 1:2:3 4", "got '1:2:3'"),
        ("1 1:x", "values must be numbers: .*'x'"),
        ("1 2:1 2:3", "an index must occur once, got 2 again"),
        ("1 2:inf", "values must be finite .* got inf for index 2"),
        ("1 2147483647:1", "an index must be below 2147483647, got 2147483647"),
        ("? 1:1", "the label must not be missing"),
    ],
)
def test_svmlight_refuses(write, line, wrong):
    with pytest.raises(ValueError, match=rf"rows.svm, line 3: .*{wrong}"):
        read(write("rows.svm", f"1 1:1\n\n{line}\n"))


def test_vowpal_wabbit(write, small):
    text = (
        "sports 'tag| ball goal:2.5 ball\n\n"
        "news 1 |title:2 vote |body:0.5 vote:3 law |empty\n"
        "sports |\n"
        "arts 1.0 t|title vote\n"
    )
    stream = read(write("rows.vw", text))
    X, y = sound(stream)
    assert stream.class_names == ("arts", "news", "sports")
    assert y.tolist() == [2, 1, 2, 0]
    assert stream.n_features == 2**18
    expected = [
        {column("", "ball"): 2, column("", "goal"): 2.5},
        {column("title", "vote"): 2, column("body", "vote"): 1.5, column("body", "law"): 0.5},
        {},
        {column("title", "vote"): 1},
    ]
    assert [{j: x[j] for j in np.flatnonzero(x)} for x in X] == expected
    few = read(write("rows.vw", text), n_features=1)
    assert sound(few)[0].tolist() == [[4.5], [4], [0], [1]]


def test_the_hash_never_changes():
    assert column("title", "bandit") == 182677
    assert column("", "größe", 1000) == 834


def test_logged_choices(write):
    text = "1:0:0.5 | a\n2:1:0.5 | b\n1:0.3:0.25 | c\n2:0:1 | d\n"
    stream = read(write("log.vw", text))
    assert (sound(stream)[1].tolist(), stream.class_names) == ([0, 0, 1, 1], ("1", "2"))
    assert "the other is the label" in said(write("log.vw", text))[0]
    right = read(write("log.vw", "1:0:0.5 | a\n3:0:0.5 | b\n2:0:0.1 | c\n"))
    assert sound(right)[1].tolist() == [0, 2, 1]
    with pytest.raises(ValueError, match=r"log.vw, line 2: the label must be known: .* got 3"):
        read(write("log.vw", "1:0:0.5 | a\n3:1:0.5 | b\n2:0:0.1 | c\n"))


@pytest.mark.parametrize(
    ("line", "wrong"),
    [
        ("1 a b", "must be label | features, got '1 a b'"),
        ("| a", "must begin with a label, got ''"),
        ("shared | a", "must begin with a label, got 'shared'"),
        ("1| a", "a blank must stand between the label and"),
        ("1 2 | a", "no importance but 1"),
        ("1:0:0.5 2:1:0.5 | a", "one label"),
        ("1:0 | a", "must be a label or action:cost:probability, got '1:0'"),
        ("1:-1:0.5 | a", "a cost must be 0 .* got -1"),
        ("1:x:0.5 | a", "must be a number, .* got 'x'"),
        ("1:0:0 | a", r"a probability must be in \(0, 1\], got 0"),
        ("1 | a:x", "must be a number, .* got 'x'"),
        ("1 | a:", "a value must be a number, got 'a:'"),
        ("1 | a:inf", "must be finite"),
        ("1 | a:1e100 a:1e100", "values must be finite"),
    ],
)
def test_vowpal_wabbit_refuses(write, line, wrong):
    with pytest.raises(ValueError, match=rf"rows.vw, line 3: .*{wrong}"):
        read(write("rows.vw", f"1 | a\n\n{line}\n"))


# Arrays


@pytest.mark.parametrize("labels", [[3, 1, 3, 2], ["c", "a", "c", "b"], [3.5, -1.0, 3.5, 0.0]])
def test_arrays(tmp_path, labels):
    X = np.array([[1.0, np.nan], [2, 3], [0, 0], [4, 5]])
    np.savez(tmp_path / "saved.npz", X=X, y=labels)
    stream = read(tmp_path / "saved.npz")
    got, y = sound(stream)
    assert np.array_equal(got, X, equal_nan=True)
    assert y.tolist() == [2, 0, 2, 1]
    assert stream.class_names == tuple(map(str, sorted(set(labels))))
    assert stream.in_memory
    assert said(tmp_path / "saved.npz") == ["saved.npz: 4 rows, 2 features in memory; 3 classes"]


def test_arrays_of_other_types(tmp_path):
    np.savez(tmp_path / "saved.npz", X=np.array([[1], [2]], np.int8), y=[b"b", b"a"])
    stream = read(tmp_path / "saved.npz")
    assert (sound(stream)[0].tolist(), stream.class_names) == ([[1.0], [2.0]], ("a", "b"))
    assert said(tmp_path / "saved.npz") == ["saved.npz: 2 rows, 1 feature in memory; 2 classes"]


@pytest.mark.parametrize("form", ["csr", "csc", "coo"])
def test_sparse_arrays(tmp_path, form):
    X = random_array((8, 5), density=0.5, format=form, rng=np.random.default_rng(2))
    save_npz(tmp_path / "matrix.npz", X)
    with np.load(tmp_path / "matrix.npz") as parts:
        np.savez(tmp_path / "both.npz", y=np.arange(8) % 2, **parts)
    got, y = sound(read(tmp_path / "both.npz"))
    assert np.array_equal(got, X.toarray())
    assert y.tolist() == [0, 1] * 4


def test_sparse_arrays_are_put_in_order(tmp_path):
    X = csr_array((np.ones(4), np.array([2, 0, 1, 1]), np.array([0, 2, 4])), shape=(2, 3))
    save_npz(tmp_path / "matrix.npz", X)
    with np.load(tmp_path / "matrix.npz") as parts:
        np.savez(tmp_path / "both.npz", y=[0, 1], **parts)
    assert sound(read(tmp_path / "both.npz"))[0].tolist() == [[1, 0, 1], [0, 2, 0]]


@pytest.mark.parametrize(
    ("arrays", "wrong"),
    [
        ({"X": np.eye(2)}, "must have arrays X and y, .* got 'X'"),
        ({"X": np.eye(2), "y": [0, 1, 2]}, r"got shapes \(2, 2\) and \(3,\)"),
        ({"X": np.eye(2), "y": [0, 0]}, "at least 2 classes, got only '0'"),
        ({"X": np.eye(2), "y": [0, np.nan]}, "the label must not be missing"),
        ({"X": np.full((2, 2), np.inf), "y": [0, 1]}, "saved.npz: .*finite"),
        ({"X": [["a"], ["b"]], "y": [0, 1]}, "saved.npz: .*numbers"),
        ({"X": np.empty((0, 2)), "y": []}, "is empty: it has no rows"),
        ({"X": np.eye(2), "y": np.array([0, "a"], object)}, "without objects"),
    ],
)
def test_arrays_refuse(tmp_path, arrays, wrong):
    np.savez(tmp_path / "saved.npz", **arrays)
    with pytest.raises(ValueError, match=wrong):
        read(tmp_path / "saved.npz")


# What is refused


@pytest.mark.parametrize(
    ("text", "wrong"),
    [
        ("", "bad.csv is empty"),
        ("\n \n", "bad.csv is empty"),
        ("a,b,label\n", "bad.csv is empty"),
        ("a\n1\n2\n", "bad.csv: must have at least 2 columns with one of commas, .* got 'a'"),
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
def test_tables_refuse(write, text, wrong):
    with pytest.raises(ValueError, match=wrong):
        read(write("bad.csv", text))


@pytest.mark.parametrize(
    ("told", "wrong"),
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
def test_what_is_told_is_checked(write, told, wrong):
    with pytest.raises(ValueError, match=wrong):
        read(write("fruit.csv", FRUIT), **told)


def test_a_name_of_two_columns_is_refused(write):
    with pytest.raises(ValueError, match="label 'a' is the name of several columns"):
        read(write("twice.csv", "a,a,b\n1,2,3\n2,3,4\n"), label="a")


def test_only_tables_have_columns(write):
    path = write("rows.svm", "1 1:1\n2 1:2\n")
    with pytest.raises(ValueError, match=r"label must be None: rows.svm is not a table, got 'y'"):
        read(path, label="y")
    with pytest.raises(ValueError, match="nominal must be None"):
        read(path, nominal=[0])
    with pytest.raises(ValueError, match="n_features must be at least 1, got 0"):
        read(path, n_features=0)


def test_paths(write, tmp_path):
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


def test_not_utf8(write):
    with pytest.raises(
        ValueError, match=r"latin.csv, after line \d: must be UTF-8 text, got byte 0xe9"
    ):
        read(write("latin.csv", "a,b\n1,caf\xe9\n2,tea\n".encode("latin-1")))


def test_too_many_words(write, monkeypatch):
    monkeypatch.setattr(codes, "MOST", 3)
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
