"""The live page of a service, as a browser shows it while the service runs."""

import hashlib
import json
import re
from contextlib import contextmanager

import pytest
from selenium.webdriver import ActionChains

from onearm.page import live
from onearm.service.server import listen
from tests.page.browsing import find, load, look, pixels, press, until, width
from tests.page.test_page import HOSTILE, Parsed
from tests.service import serving as servers
from tests.service.serving import CONTEXT, serving

CHALLENGED = {
    "learner": {"name": "EpsilonGreedy", "epsilon": 1.0},
    "challengers": {
        "gap": {"name": "InverseGap"}, "guess": {"name": "EpsilonGreedy", "epsilon": 1.0}
    },
}  # fmt: skip
ROWS = "[data-list=labels] "
LONG = "a label whose name has many words and doesnotendbutgoesonwithoutaspace" * 2


def play(served, n, first=0, unanswered=0):
    """Let n visitors come, of whom the last hear nothing; label `a` is right."""
    for begin in range(first, first + n, 100):
        ids = [f"e{i}" for i in range(begin, min(begin + 100, first + n))]
        _, answers = served.post("decide", [{"context": CONTEXT, "event_id": i} for i in ids])
        feedback = [{"event_id": x["event_id"], "reward": x["label"] == "a"} for x in answers]
        feedback = feedback[: len(ids) - unanswered] if begin + 100 >= first + n else feedback
        served.post("feedback", feedback)


def text(browser, name):
    return browser.execute_script(
        f"return document.querySelector('[data-text={name}]').textContent"
    )


def health(browser):
    return browser.execute_script("return document.querySelector('.health').dataset.health")


def labels_shown(browser):
    """Return the names of labels in the order of the table."""
    return [
        x.get_attribute("data-value") for x in browser.find_elements("css selector", ROWS + "th")
    ]


def column(browser, i):
    cells = browser.find_elements("css selector", f"{ROWS}td:nth-child({i})")
    return [float(cell.get_attribute("data-value")) for cell in cells]


def paper(browser):
    return browser.execute_script("return getComputedStyle(document.body).backgroundColor")


def change_state(browser, **changes):
    """Let the page show the last state with these changes, and no other."""
    browser.execute_script(
        "connection.on.event = () => {};"
        "takeState({...shown.state, ...JSON.parse(arguments[0]), time: shown.state.time + 1})",
        json.dumps(changes),
    )


@contextmanager
def opened(browser, **settings):
    with serving(**settings) as served:
        look(browser)
        load(browser, served.url)
        yield served


@pytest.fixture(scope="module")
def challenged():
    with serving(**CHALLENGED) as served:
        play(served, 1500, unanswered=10)
        yield served


@pytest.fixture
def shown(browser, challenged):
    """The page of a service with challengers; the browser must not log an error."""
    look(browser)
    browser.get("about:blank")
    browser.get_log("browser")  # of a page before, which asked for a service that had ended
    load(browser, challenged.url)
    yield browser
    assert browser.get_log("browser") == []


def test_nothing_but_the_events_is_fetched():
    page = live.page("news", "1.0")
    parsed = Parsed(page)
    assert not {tag for tag, _ in parsed.tags} & {"link", "img", "iframe", "object", "base", "a"}
    assert not [a for _, a in parsed.tags if a.keys() & {"src", "href", "srcset", "action"}]
    assert not re.search(r"url\(|@import|XMLHttpRequest|\bimport\(|innerHTML", page)
    assert "default-src 'none'" in page
    assert len(re.findall(r"\bfetch\(", page)) == 1
    assert [a["data-events"] for _, a in parsed.tags if "data-events" in a] == ["v1/news/events"]


pytestmark = pytest.mark.compiled


def test_the_numbers_are_those_of_the_service(shown, challenged):
    until(shown, lambda: text(shown, "decided") == "1,500 in all")
    state = challenged.server.service.watcher.state
    assert text(shown, "pending") == "10"
    assert text(shown, "mean") == f"{state['reward']['mean']:.4f}"
    assert text(shown, "log") == f"{state['seq']:,} records"
    assert text(shown, "champion") == "epsilongreedy"
    assert labels_shown(shown) == ["a", "b", "c"]
    assert column(shown, 3) == [row["chosen"] for row in state["labels"]]
    assert column(shown, 5) == pytest.approx([1 / 3] * 3)
    counted = shown.find_element("css selector", "[data-count=applied]").text
    assert counted == "1,490"
    assert pixels(shown, "--c0") > 50


def test_new_decisions_are_shown_without_a_reload(browser):
    with opened(browser) as served:
        until(browser, lambda: text(browser, "decided") == "0 in all")
        assert text(browser, "mean") == "–"
        assert "no challengers" in find(browser, "[data-none=differences]").text
        assert not browser.find_element("css selector", ".labels").is_displayed()
        play(served, 20)
        served.post("feedback", {"event_id": "e0", "reward": 0.5})
        until(browser, lambda: text(browser, "decided") == "20 in all")
        until(browser, lambda: labels_shown(browser) == ["a", "b", "c"])
        assert browser.find_element("css selector", "[data-count=conflict]").text == "1"
        served.post("retire_label", {"label": "b"})
        play(served, 1, first=20)
        until(browser, lambda: find(browser, ".labels tbody .mark").text == "retired")
    assert browser.get_log("browser") == [] or health(browser) != "serving"


def test_challengers_have_a_verdict_in_words(shown):
    find(shown, "[data-list=differences] .dot")
    rows, zero, places = shown.execute_script("""
const list = document.querySelector("[data-list=differences]");
const all = (css) => [...list.querySelectorAll(css)];
return [all(".name").map((x) => x.textContent), 100 * list.style.getPropertyValue("--zero"),
  [...all(".bar"), ...all(".dot")].map((x) => parseFloat(x.style.left))];
""")
    assert rows[0].startswith("gap better")
    assert rows[1].startswith("guess not decided yet")
    gap_low, guess_low, gap, guess = places
    assert guess_low < guess < gap
    assert guess_low < zero < gap_low < gap


def test_a_dropped_connection_is_shown_and_made_again(browser):
    with opened(browser):
        network = {"latency": 0, "downloadThroughput": -1, "uploadThroughput": -1}
        browser.execute_cdp_cmd("Network.enable", {})
        how = "Network.emulateNetworkConditions"
        browser.execute_cdp_cmd(how, network | {"offline": True})
        browser.execute_script("connection.aborted.abort()")
        until(browser, lambda: health(browser) == "reconnecting")
        assert "Reconnecting" in find(browser, "[role=status]").text
        assert find(browser, ".live").get_attribute("class") == "live old"
        browser.execute_cdp_cmd(how, network | {"offline": False})
        until(browser, lambda: health(browser) == "serving")
        assert find(browser, ".live").get_attribute("class") == "live"
    browser.get_log("browser")


def test_a_service_that_ends_and_comes_back(browser, monkeypatch):
    with opened(browser) as served:
        play(served, 30)
        until(browser, lambda: text(browser, "decided") == "30 in all")
        port = served.port
    until(browser, lambda: health(browser) == "stopped")
    monkeypatch.setattr(servers, "listen", lambda host, _: listen(host, port))
    with serving() as served:
        play(served, 7)
        until(browser, lambda: health(browser) == "serving")
        until(browser, lambda: text(browser, "decided") == "7 in all")
    browser.get_log("browser")


def test_a_token_is_asked_for_once(browser):
    token = "a secret"
    tokens = {"me": {"sha256": hashlib.sha256(token.encode()).hexdigest(), "scopes": ["read"]}}
    with serving(tokens=tokens) as served:
        look(browser)
        browser.get(served.url)
        until(browser, lambda: health(browser) == "token")
        for given in ("wrong", token):
            find(browser, "#token").send_keys(given)
            press(browser, ".token button")
            wanted = "serving" if given == token else "token"
            until(browser, lambda wanted=wanted: health(browser) == wanted)
            if given == "wrong":
                assert "does not know" in find(browser, "[data-text=refused]").text
        load(browser, served.url)
        until(browser, lambda: health(browser) == "serving")
        assert not browser.find_element("css selector", ".token").is_displayed()
    browser.get_log("browser")


@pytest.mark.parametrize("labels", [[HOSTILE[0], LONG], [f"label {i}" for i in range(60)]])
def test_any_names_and_numbers_fit(browser, labels):
    with opened(browser, labels=labels) as served:
        play(served, 100)
        until(browser, lambda: labels_shown(browser) == labels)
        assert browser.title == "news · onearm"
        many = dict.fromkeys(("decided", "applied", "expired", "late"), 123_456_789)
        change_state(browser, counts=many, pending=12_345_678, seq=234_567_890)
        assert text(browser, "decided") == "123,456,789 in all"
        look(browser, width=390)
        until(browser, lambda: width(browser) <= 390)
        assert all(x.is_displayed() for x in browser.find_elements("css selector", ".share"))


def test_both_schemes_and_a_phone(shown):
    light = paper(shown)
    look(shown, scheme="dark")
    until(shown, lambda: paper(shown) != light and pixels(shown, "--c0") > 50)
    look(shown, width=390, scheme="dark")
    until(shown, lambda: pixels(shown, "--c0") > 50 and width(shown) <= 390)


def test_a_failed_check_is_a_warning(shown):
    assert shown.find_elements("css selector", ".warning:not([data-text])") == []
    check = {"check": "label frequencies", "z": 9.0, "limit": 5.0, "label": "b", "passed": False}
    change_state(shown, checks=[check])
    assert "largest |z| (b) 9.00, limit 5.00" in find(shown, ".warnings .warning").text
    assert "failed" in find(shown, "[data-list=checks]").text


def test_a_drag_zooms_and_stays(shown):
    def scale():
        return shown.execute_script("const { x } = charts[0].uplot.scales; return [x.min, x.max]")

    def pass_a_second():
        before = shown.execute_script("return shown.state.time")
        until(shown, lambda: shown.execute_script("return shown.state.time") > before)

    plot = find(shown, ".u-over")
    drag = ActionChains(shown).scroll_to_element(plot).move_to_element_with_offset(plot, -100, 0)
    drag.click_and_hold().move_by_offset(80, 0).perform()
    pass_a_second()
    ActionChains(shown).move_by_offset(70, 0).release().perform()
    until(shown, lambda: scale()[1] < 0)
    zoomed = scale()
    pass_a_second()
    assert scale() == zoomed
    ActionChains(shown).double_click(plot).perform()
    until(shown, lambda: scale()[1] == 0)


def test_an_order_of_labels_stays(shown, challenged):
    press(shown, ".labels thead th:first-child button")
    press(shown, ".labels thead th:first-child button")
    assert labels_shown(shown) == ["c", "b", "a"]
    before = shown.execute_script("return shown.state.time")
    until(shown, lambda: shown.execute_script("return shown.state.time") > before)
    assert labels_shown(shown) == ["c", "b", "a"]


def test_nothing_moves_for_those_who_do_not_want_it(shown):
    def duration():
        return find(shown, ".fill").value_of_css_property("transition-duration")

    motion = {"name": "prefers-reduced-motion", "value": "reduce"}
    shown.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": [motion]})
    assert duration() == "0s"


def test_many_rates_are_means_of_seconds(shown):
    point = {"per_second": {"decisions": 7, "rewards": 5, "defaults": 0}, "outcomes": {"n": 0}}
    shown.execute_script(
        "connection.on.event = () => {}; const [point, time] = arguments;"
        "shown.points = Array.from({length: 600}, (_, i) => ({...point, time: time - 599 + i}));"
        "show()",
        point,
        shown.execute_script("return shown.state.time"),
    )
    x, decisions = shown.execute_script("const [{ x, mean }] = charts[0].lines; return [x, mean]")
    assert 119 <= len(x) <= 122
    assert set(decisions) == {7}
    assert x == sorted(x)
    assert -10 <= x[0] < x[-1] <= 0
