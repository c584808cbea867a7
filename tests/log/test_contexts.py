"""Contexts by name: a schema encodes them to the rows that they were made of."""

import numpy as np
import pytest

from onearm import Schema
from onearm.log.contexts import contexts_of

COLUMNS = {
    "age": "number",
    "device": ["phone", "desk top", "(other)", "a=b%:|"],
    "seen": ["yes", None],
    "city": {"category": 50},
    "words": {"text": 60},
    "user.note": "text",
}
SCHEMA = Schema(COLUMNS, ["no", "yes"])
CONTEXTS = [
    {"age": 31, "device": "phone", "seen": "yes", "city": "Bonn", "words": "one two two"},
    {"age": 0, "device": "watch", "city": None, "user.note": "Ein Satz, noch ein Satz"},
    {"device": "(other)", "seen": "no", "city": "Köln am Rhein", "words": ""},
    {"age": -1.5e-7, "device": "a=b%:|"},
]


def without_texts():
    return Schema({name: form for name, form in COLUMNS.items() if "text" not in form})


@pytest.mark.parametrize("schema", [SCHEMA, without_texts()])
def test_contexts_are_encoded_to_the_same_rows(schema):
    X = schema.encode_all(CONTEXTS)
    contexts = list(contexts_of(X, schema))
    again = schema.encode_all(contexts)
    if hasattr(X, "tocsr"):
        X, again = X.toarray(), again.toarray()
    np.testing.assert_array_equal(X, again)
    assert [list(context) for context in contexts] == [schema.names] * 4
    assert [context["age"] for context in contexts] == [31.0, 0.0, None, -1.5e-7]
    assert [context["device"] for context in contexts] == [
        "phone",
        "((other))",
        "(other)",
        "a=b%:|",
    ]
    assert contexts[0]["seen"] == "yes"
    assert contexts[2]["seen"] == "(other)"
    assert contexts[1]["seen"] is contexts[1]["city"] is None


def test_numbers_that_no_schema_made():
    schema = Schema({"device": ["phone"], "city": {"category": 3}})
    rows = np.array([[0.5, 7], [-1, -1], [9, np.nan]])
    assert [context["device"] for context in contexts_of(rows, schema)] == ["(other)"] * 3
    assert [c["city"] for c in contexts_of(rows, schema)] == ["(other)", "(other)", None]
    text = Schema({"words": {"text": 4}})
    X = text.encode_all([{"words": "a b"}]) * 0.5
    with pytest.raises(
        ValueError, match=r"column 'words' must have whole numbers of words, got 0\.5"
    ):
        list(contexts_of(X, text))
