"""A schema encoded value by value, from the rules alone; dates, frames and errors are left out.

A column is (name, form) with the forms of `onearm.Schema`. The row of a context has a number or
code of every column that is no text, in their order, then the counts of the words of each text.
"""

import math
import re
import zlib


def encoded(columns, context):
    """Return the row of a context: a list of numbers, with all counts of words."""
    row = [number(name, form, context.get(name)) for name, form in columns if not is_text(form)]
    for name, form in columns:
        if is_text(form):
            row += counts(name, size(form, 16384), context.get(name))
    return row


def number(name, form, value):
    if value is None or value != value:
        return float(form.index(None)) if isinstance(form, list) and None in form else math.nan
    if form == "number":
        return float(value)
    word = as_text(value)
    if isinstance(form, list):
        values = [None if v is None else as_text(v) for v in form]
        return float(values.index(word)) if word in values else float(len(form))
    return float(bucket(name, word, size(form, 1024)))


def counts(name, n, text):
    row = [0.0] * n
    for word in re.findall(r"\w+", (text or "").lower()):
        row[bucket(name, word, n)] += 1.0
    return row


def bucket(name, word, n):
    return zlib.crc32(word.encode(), zlib.crc32(name.encode())) % n


def as_text(value):
    if isinstance(value, float) and value == math.floor(value):
        value = int(value)
    return str(value).strip()


def is_text(form):
    return form == "text" or (isinstance(form, dict) and "text" in form)


def size(form, default):
    return next(iter(form.values())) if isinstance(form, dict) else default
