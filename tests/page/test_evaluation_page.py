"""The page of an evaluation: what is in the file, and what a browser shows."""

import json
import math
import re

import numpy as np
import pytest
from selenium.webdriver import ActionChains

import onearm
from onearm.page import write as write_race
from onearm.page.bars import bars
from onearm.page.dots import Axis
from onearm.page.evaluation import write
from tests.page.browsing import find, load, look, names, pixels, press, scales, until, values, width
from tests.page.evaluation_page import NAMES, evaluation
from tests.page.race_page import race
from tests.page.test_page import HOSTILE, Parsed

COSTS = (-250.0, -20.0)


def parsed(data, folder):
    write(data, folder / "evaluation.html")
    return Parsed((folder / "evaluation.html").read_text(encoding="utf-8"))


def test_nothing_is_fetched_and_the_program_is_that_of_races(tmp_path):
    page = parsed(evaluation(), tmp_path)
    assert not {tag for tag, _ in page.tags} & {"link", "img", "iframe", "object", "base", "a"}
    assert not [a for _, a in page.tags if a.keys() & {"src", "href", "srcset", "action", "data"}]
    html = (tmp_path / "evaluation.html").read_text()
    assert "default-src 'none'" in html
    write_race(race(3), tmp_path / "race.html")
    hashes = [
        re.search(r"sha256-[^']*", (tmp_path / f"{name}.html").read_text())[0]
        for name in ("race", "evaluation")
    ]
    assert hashes[0] == hashes[1]


def test_names_cannot_break_out(tmp_path):
    page = parsed(evaluation(2, names=HOSTILE) | {"title": HOSTILE[0], "by": HOSTILE[1]}, tmp_path)
    kinds = [attrs.get("type") for tag, attrs in page.tags if tag == "script"]
    assert kinds == ["application/json", None]
    labels = [line["label"] for line in json.loads(page.scripts[0])["curves"]]
    assert labels == ["logged", *HOSTILE]
    assert all(page.text.count(name) >= 5 for name in HOSTILE)
    assert "b" not in {tag for tag, _ in page.tags}


def test_the_page_has_every_part(tmp_path):
    text = re.sub(r"\s+", " ", parsed(evaluation(), tmp_path).text)
    for words in (
        "Would another policy have earned more than the logged policy?",
        "soba worse", "better", "not decided about 46,900 more events would decide it",
        "+0.2000 (+0.1000 to +0.3000)", "98.75 % each, 95 % together",
        "valid while the logging policy learns: yes", "Value by device", "Value by window of time",
        "only 3.0 effective events", "passed label frequencies: as expected", "812 effective",
        "17 bad lines", "onearm evaluate clicks.parquet --policy soba", "python 3.11.7", "AMD EPYC",
        "2026-11-16 16:00 UTC",
    ):  # fmt: skip
        assert words in text, words


def test_unknown_numbers_are_dashes_and_null(tmp_path):
    data = evaluation()
    data["estimates"][1]["value"] = data["estimates"][1]["low"] = math.nan
    data["curves"][1]["curve"]["mean"][3] = math.nan
    data["curves"][2]["curve"]["low"] = [math.nan] * 60
    page = parsed(data, tmp_path)
    curves = json.loads(page.scripts[0])["curves"]
    assert curves[1]["mean"][3] is None
    assert curves[2]["low"] is None
    assert not re.search(r"\b(nan|inf)\b", page.text)


def test_the_logged_policy_is_ink_and_others_have_colours(tmp_path):
    page = parsed(evaluation(6), tmp_path)
    colours = [line["colour"] for line in json.loads(page.scripts[0])["curves"]]
    assert colours == ["ink", *(f"c{i}" for i in range(6))]


def places(page, kind):
    """Return left and width of the elements of a class, in percent."""
    styles = [attrs["style"] for _, attrs in page.tags if attrs.get("class") == kind]
    return np.array([[float(x) for x in re.findall(r"([\d.e-]+)%", style)] for style in styles])


@pytest.mark.parametrize("rewards", [(0.0, 1.0), COSTS, (-1.0, 1.0), (0.0, 1e6)])
def test_dots_are_within_their_bars_and_bars_within_the_axis(tmp_path, rewards):
    data = evaluation(3, rewards) | {"segments": [], "windows": []}
    page = parsed(data, tmp_path)
    bar, dot = places(page, "bar"), places(page, "dot")
    assert len(bar) == len(dot) == 3
    assert dot[:, 0] == pytest.approx(bar[:, 0] + bar[:, 1] / 2, abs=0.05)
    assert bar.min() > 0
    assert bar.sum(axis=1).max() < 100
    zero = 100 * float(
        re.search(r"--zero: ([\d.]+)", (tmp_path / "evaluation.html").read_text())[1]
    )
    assert dot[1, 0] == pytest.approx(zero, abs=0.05)  # the difference that is 0
    assert dot[0, 0] < zero < dot[2, 0]


def test_a_value_outside_of_what_is_possible_does_not_stretch_the_axis():
    axis = Axis([-17000.0, 0.2, 0.9], 0.0, 1.0)
    assert axis.low > -0.2
    assert axis.percent(-17000.0) == 0.0
    assert axis.percent(0.5) > 40


@pytest.mark.parametrize("numbers", [[0.0], [5.0], [-3.0], [1e-9, 2e-9], [-1e9, 1e9], [], [None]])
def test_an_axis_has_marks_in_order_whatever_it_shows(numbers):
    marks = Axis(numbers).marks
    at = [mark["percent"] for mark in marks]
    assert 2 <= len(at) <= 8
    assert at == sorted(set(at))
    assert len({mark["text"] for mark in marks}) == len(marks)


def test_higher_bars_have_more_events():
    counts = [5, 0, 1, 100000, 20]
    heights = [bar["height"] for bar in bars([0, 0.01, 0.1, 1, 10, 1e8], counts)["bars"]]
    assert np.argsort(heights).tolist() == np.argsort(counts).tolist()
    assert heights[1] == 0 < heights[2]
    assert heights[3] == 100
    alone = bars([0, 0.01, 0.1], [0, 0])
    assert [bar["height"] for bar in alone["bars"]] == [0, 0]


@pytest.fixture
def shown(browser, tmp_path, request):
    """The page in a browser, which must not log an error in any test."""
    write(evaluation(6, getattr(request, "param", (0.0, 1.0))), tmp_path / "evaluation.html")
    look(browser)
    load(browser, (tmp_path / "evaluation.html").as_uri())
    yield browser
    assert browser.get_log("browser") == []


def y_scale(browser):
    script = "const s = charts[0].uplot.scales.y; return [s.min, s.max, s.distr]"
    return browser.execute_script(script)


@pytest.mark.compiled
def test_every_curve_is_drawn(shown):
    assert all(pixels(shown, f"--c{i}") > 50 for i in range(6))
    assert pixels(shown, "--ink") > 50


@pytest.mark.compiled
@pytest.mark.parametrize("shown", [COSTS], indirect=True)
def test_negative_rewards_have_their_axis(shown):
    low, high, linear = y_scale(shown)
    assert COSTS[0] < low < -150 < -120 < high < COSTS[1]
    assert linear == 1
    assert shown.execute_script("return charts[0].uplot.data[1].at(-1)") < -120  # a low end
    assert shown.execute_script("return linearTicks(-250, -50, 5)") == [-250, -200, -150, -100, -50]
    assert shown.execute_script("return tickText(-2500)") == "−2.5K"
    ends = shown.execute_script("return [apart(2, 2), apart(0, 0), apart(-1, 1)]")
    assert ends == [[1, 3], [-0.5, 0.5], [-1, 1]]
    assert all(pixels(shown, f"--c{i}") > 50 for i in range(6))
    chain = ActionChains(shown).scroll_to_element(find(shown, ".u-over"))
    chain.move_to_element(find(shown, ".u-over")).perform()
    until(shown, lambda: find(shown, ".readout").text.startswith("event "))
    assert re.search(r"−\d+\.\d{4}", find(shown, ".readout").text)


@pytest.mark.compiled
def test_intervals_are_in_view_after_the_first_events(shown):
    low, high, _ = y_scale(shown)
    ends = evaluation(6)["curves"][0]["curve"]
    assert low < ends["low"][-1] < ends["high"][-1] < high
    assert ends["low"][0] < low  # too wide to be in view


@pytest.mark.compiled
def test_only_the_axis_of_events_turns_logarithmic(shown):
    assert scales(shown)[0] == 1
    press(shown, "input[value=log]")
    until(shown, lambda: scales(shown)[0] >= 10)
    assert shown.execute_script("return charts[0].uplot.scales.x.distr") == 3
    assert y_scale(shown)[2] == 1


@pytest.mark.compiled
def test_switches_of_a_policy_go_together_and_heads_sort(shown):
    place = NAMES.index("uniform") + 1
    rows = shown.find_elements("css selector", f".switch[data-line='{place}']")
    assert len(rows) == 2  # of two estimators
    rows[0].click()
    pressed = {x.get_attribute("aria-pressed") for x in rows}
    assert pressed == {"false"}
    ActionChains(shown).move_to_element(find(shown, "h1")).perform()
    until(shown, lambda: pixels(shown, f"--c{place - 1}") == 0)
    press(shown, "thead th:nth-child(3) button")
    assert values(shown, 3) == sorted(values(shown, 3), reverse=True)
    press(shown, "thead th:nth-child(1) button")
    assert names(shown) == sorted(names(shown))


@pytest.mark.compiled
@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("wide", [1280, 390])
def test_nothing_sticks_out(shown, wide, scheme):
    look(shown, wide, scheme)
    until(shown, lambda: pixels(shown, "--c0") > 50 and width(shown) <= wide)
    dots = [x for x in shown.find_elements("css selector", ".dot") if x.is_displayed()]
    assert len(dots) == 6 + 7 * (2 + 5)
    assert all(0 < dot.rect["x"] < wide - dot.rect["width"] for dot in dots)
    assert all(x.rect["width"] > 300 for x in shown.find_elements("css selector", ".track"))
    heads = shown.find_elements("css selector", "thead button")
    assert {x.text: x.rect["height"] for x in heads if x.is_displayed()}["Estimator"] < 30


def made(n):
    rng = np.random.default_rng(0)
    label = rng.integers(0, 2, n)
    log = onearm.Log.of(np.ones((n, 1)), label, np.full(n, 0.5), rng.random(n) < 0.5)
    return onearm.evaluate(log, ["uniform", "always 1"])


@pytest.mark.compiled
@pytest.mark.parametrize("n", [1, 2, 300])
def test_an_evaluation_that_was_made(shown, tmp_path, n):
    made(n).write_page(tmp_path / "made.html", "onearm evaluate")
    load(shown, (tmp_path / "made.html").as_uri())
    text = shown.find_element("tag name", "body").text
    assert "always 1" in text
    assert f"{n} event" in text
    assert shown.execute_script("return charts[0].uplot.data[0].at(-1)") == n
    assert scales(shown)[0] < scales(shown)[1]
    assert n < 3 or pixels(shown, "--c0") > 50


@pytest.mark.compiled
def test_tables_and_dots_need_no_program(browser, tmp_path):
    write(evaluation(), tmp_path / "evaluation.html")
    browser.execute_cdp_cmd("Emulation.setScriptExecutionDisabled", {"value": True})
    try:
        browser.get((tmp_path / "evaluation.html").as_uri())
        assert len(browser.find_elements("css selector", "tbody tr")) > 9
        assert find(browser, ".verdicts .dot").rect["width"] > 5
        assert find(browser, ".bars span span").rect["height"] > 50
        assert "The curves need JavaScript" in browser.find_element("tag name", "body").text
    finally:
        browser.execute_cdp_cmd("Emulation.setScriptExecutionDisabled", {"value": False})
