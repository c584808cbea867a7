"""Files of sparse rows come back as they were written: svmlight, and Vowpal Wabbit's text."""

import numpy as np
import pytest
from scipy.sparse import random_array

from onearm import read
from onearm.streams.vowpal import column
from tests.streams.file_rows import logged, sound


def test_svmlight(write, small_chunks):
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
        assert logged(write("rows.svm", text(first))) == [expected]
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
def test_invalid_svmlight_lines_are_refused(write, line, wrong):
    with pytest.raises(ValueError, match=rf"rows.svm, line 3: .*{wrong}"):
        read(write("rows.svm", f"1 1:1\n\n{line}\n"))


def test_vowpal_wabbit(write, small_chunks):
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


def test_labels_of_logged_choices(write):
    text = "1:0:0.5 | a\n2:1:0.5 | b\n1:0.3:0.25 | c\n2:0:1 | d\n"
    stream = read(write("log.vw", text))
    assert (sound(stream)[1].tolist(), stream.class_names) == ([0, 0, 1, 1], ("1", "2"))
    assert "the other is the label" in logged(write("log.vw", text))[0]
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
def test_invalid_vowpal_wabbit_lines_are_refused(write, line, wrong):
    with pytest.raises(ValueError, match=rf"rows.vw, line 3: .*{wrong}"):
        read(write("rows.vw", f"1 | a\n\n{line}\n"))
