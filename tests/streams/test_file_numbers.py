"""What files of text have for numbers: decimal commas, and what only looks like numbers."""

import numpy as np
import pytest

from onearm import read
from tests.streams.file_rows import sound


def test_decimal_commas_are_read_where_commas_are_no_delimiters(write):
    rows = 'price;size;label\n-1.234,50;"1,5";a;\n'.replace(";\n", "\n") + "2.500;x, 2;b\n?;1,5;b\n"
    logged = []
    stream = read(write("de.csv", rows), log=logged.append)
    X, _ = sound(stream)
    assert logged[0].endswith("semicolons between fields; numbers with decimal commas; the first "
                              "row names the columns")  # fmt: skip
    assert np.array_equal(X, [[-1234.5, 0], [2500, 1], [np.nan, 0]], equal_nan=True)
    assert stream.values[1] == ("1.5", "x, 2")  # the number of a value is that of 1.5
    same = read(write("same.csv", rows), schema=stream.encoded_by)
    assert np.array_equal(same.arrays()[0], X, equal_nan=True)
    bare = read(write("bare.csv", "1,5;2;a\n2,5;3;b\n"))
    assert (bare.n_rows, bare.arrays()[0].tolist()) == (2, [[1.5, 2], [2.5, 3]])


def test_numbers_that_decimal_commas_cannot_explain_are_not_read_as_such(write):
    for rows in ("1,5;0.123;a\n2,5;0.456;b\n", "1,234;3;a\n12,500;4;b\n"):  # thousands, perhaps
        with pytest.raises(ValueError, match="must have a point, not a comma"):
            read(write("odd.csv", rows))
    fine = read(write("fine.csv", "1,234;3;a\n0,500;4;b\n"))
    assert fine.arrays()[0].tolist() == [[1.234, 3], [0.5, 4]]


def test_the_line_of_excel_that_states_the_delimiter_is_no_row(write):
    for head in ("sep=;\n", "\ufeffsep=;\n"):
        stream = read(write("excel.csv", head + "a,b;c;label\n1;2;x\n3;4;y\n"))
        assert stream.feature_names == ("a,b", "c")
        assert sound(stream)[0].tolist() == [[1, 2], [3, 4]]
    with pytest.raises(ValueError, match=r"excel.csv, line 4: must have 3 fields, got 2"):
        read(write("excel.csv", "sep=;\na;b;label\n1;2;x\n3;y\n"))


def test_what_looks_like_numbers_dates_or_an_index_is_warned_of(write):
    rows = "".join(f"{t},{t}%,2024-01-{1 + t % 28:02},{t % 7},{t % 3}\n" for t in range(120))
    logged = []
    read(write("odd.csv", f",share,day,week,label\n{rows}"), log=logged.append)
    looks = "is a category of texts that look like"
    assert logged[-3:] == [
        f"warning: odd.csv: column 'share' {looks} numbers, as '0%': convert them if numbers are "
        "meant",
        f"warning: odd.csv: column 'day' {looks} dates, as '2024-01-01': convert them if dates are "
        "meant",
        "warning: odd.csv: column 'c0' has another whole number in every row: an identifier is "
        "better left out",
    ]
