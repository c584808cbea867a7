"""The page of a race: what is in the file."""

import json
import math
import re
from html.parser import HTMLParser

from onearm import page
from onearm.page.plots import COLOURS, styled, sweep_lines
from tests.page.race_page import race, stream

HOSTILE = ["</script><script>document.title='broken'</script>", '"it\'s" & <b>bold</b> {{ 1 }}']


class Parsed(HTMLParser):
    """Tags with their attributes, and the text of scripts and of all else."""

    def __init__(self, html):
        super().__init__()
        self.tags, self.scripts, self.text = [], [], ""
        self.feed(html)

    def handle_starttag(self, tag, attrs):
        self.tags.append((tag, dict(attrs)))
        if tag == "script":
            self.scripts.append("")

    def handle_data(self, data):
        if self.cdata_elem == "script":
            self.scripts[-1] += data
        else:
            self.text += data


def written(data, folder):
    page.write(data, folder / "race.html")
    return (folder / "race.html").read_text(encoding="utf-8")


def hostile():
    """Return a race whose names try to leave the places where they are written."""
    data = race(4)
    for x, name in zip(data["streams"][0]["learners"], HOSTILE, strict=False):
        x["label"] = x["name"] = x["tuned"] = name
        x["parameters"] = {name: name}
    data["streams"][0]["name"] = data["streams"][0]["about"] = HOSTILE[0]
    data["streams"][0]["exploration"][0]["name"] = HOSTILE[0]
    return data | {"title": HOSTILE[1], "toml": HOSTILE[0], "command": HOSTILE[1], "notes": HOSTILE}


def test_nothing_is_fetched(tmp_path):
    html = written(race(4), tmp_path)
    parsed = Parsed(html)
    assert not {tag for tag, _ in parsed.tags} & {"link", "img", "iframe", "object", "base", "a"}
    assert not [a for _, a in parsed.tags if a.keys() & {"src", "href", "srcset", "action", "data"}]
    assert not re.search(r"url\(|@import|\bfetch\(|XMLHttpRequest|\bimport\(", html)
    assert "default-src 'none'" in html
    assert "Copyright (c) 2022 Leon Sorokin" in html  # uPlot's licence goes where uPlot goes


def test_names_cannot_break_out(tmp_path):
    parsed = Parsed(written(hostile(), tmp_path))
    kinds = [attrs.get("type") for tag, attrs in parsed.tags if tag == "script"]
    assert kinds == ["application/json", "application/json", None]
    labels = [line["label"] for line in json.loads(parsed.scripts[0])["curves"]]
    assert set(HOSTILE) < set(labels)
    assert all(parsed.text.count(name) >= 3 for name in HOSTILE)
    assert "b" not in {tag for tag, _ in parsed.tags}


def test_unknown_numbers_are_dashes_and_null(tmp_path):
    data = race(4, runs=1)
    x = data["streams"][0]["learners"][0]
    x["error"]["mean"], x["rounds_per_second"], x["bytes"] = math.nan, math.inf, None
    x["curve"]["mean"][3] = math.nan
    parsed = Parsed(written(data, tmp_path))

    def refuse(constant):
        raise AssertionError(constant)

    curves = json.loads(parsed.scripts[0], parse_constant=refuse)["curves"]
    assert curves[3]["mean"][3] is None  # the learner without an error comes last
    assert all(line["low"] is None and line["high"] is None for line in curves)
    assert "–" in parsed.text
    assert "±" not in parsed.text
    assert not re.search(r"\b(nan|inf)\b", parsed.text)


def test_a_large_race_stays_small(tmp_path):
    assert len(written(race(22), tmp_path).encode()) < 400_000


def looks(learners):
    return {x["label"]: (x["colour"], x["dash"], x["width"]) for x in learners}


def test_styles_differ_by_learner_and_agree_between_streams():
    first, second = styled([stream("a", 22), stream("b", 22, seed=1)])
    assert len(set(looks(first["learners"]).values())) == 22
    assert looks(first["learners"]) == looks(second["learners"])


def test_twelve_learners_have_a_colour_each_and_dashes_mean_full_information():
    (only,) = styled([stream("a", 12)])
    assert len({x["colour"] for x in only["learners"]}) == len(COLOURS) == 12
    assert all(bool(x["dash"]) == x["full_information"] for x in only["learners"])


def test_baselines_are_lines_after_those_of_the_learners(tmp_path):
    data = race(4)
    labels = [line["label"] for line in data["streams"][0]["baselines"]]
    curves = json.loads(Parsed(written(data, tmp_path)).scripts[0])["curves"]
    assert [line["label"] for line in curves[4:]] == labels == ["uniform guessing", "majority"]
    assert not [line for line in curves[4:] if line["dash"] or line["colour"].startswith("c")]


def test_curves_of_other_lengths_keep_their_rounds(tmp_path):
    data = race(4)
    data["streams"][0]["learners"] += stream("shorter", 1, rounds=100)["learners"]
    curves = json.loads(Parsed(written(data, tmp_path)).scripts[0])["curves"]
    ends = [line["x"][-1] for line in curves if "x" in line]
    assert sorted(ends) == [100, 20000]
    assert len(curves) == 5 + 2


def test_settings_of_one_learner_differ_in_style():
    made = stream("a", 1)["learners"][0]
    learners = [made | {"label": f"SOBA gamma={g}", "name": "SOBA"} for g in range(40)]
    first, second = styled([{"learners": learners}, {"learners": learners[::-1]}])
    assert len(set(looks(first["learners"]).values())) == 40
    assert looks(first["learners"]) == looks(second["learners"])


def test_sweeps_differ_in_style():
    data = stream("a", 5)
    point = {"value": 0.1, "mean": 0.2, "low": 0.1, "high": 0.3}
    names = [data["learners"][1]["name"], "SOBA a=1.0", "SOBA a=3.0", "SOBA a=1.0 b=2"]
    data["exploration"] = [
        {"name": name, "parameter": "gamma", "points": [point]} for name in names
    ]
    (only,) = styled([data])
    lines = sweep_lines(only)
    assert len(set(looks(lines).values())) == len(names)
    learner = next(x for x in only["learners"] if x["name"] == names[0])
    assert lines[0]["colour"] == learner["colour"]


def test_no_command_no_box(tmp_path):
    assert 'id="command"' in written(race(3), tmp_path)
    assert 'id="command"' not in written(race(3) | {"command": ""}, tmp_path)


def test_without_a_best_learner_none_is_bold(tmp_path):
    data = race(3)
    for shown in data["streams"]:
        for learner in shown["learners"]:
            learner["best"] = False
    text = Parsed(written(data, tmp_path)).text
    assert "Bold" not in text
