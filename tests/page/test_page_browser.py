"""The page of a race, as a browser shows it: Debian's Chromium, without a window."""

import pytest
from selenium.webdriver import ActionChains, Keys

import onearm
from onearm import page
from tests.page.browsing import find, load, look, names, pixels, press, scales, until, values, width
from tests.page.race_page import race
from tests.page.test_page import HOSTILE, hostile

pytestmark = pytest.mark.compiled  # not for that, but for the seconds it takes


@pytest.fixture(scope="module")
def address(tmp_path_factory):
    file = tmp_path_factory.mktemp("page") / "race.html"
    page.write(race(6), file)  # six learners, six colours
    return file.as_uri()


@pytest.fixture
def shown(browser, address):
    """The page, freshly opened; the browser must not log an error in any test."""
    look(browser)
    load(browser, address)
    yield browser
    assert browser.get_log("browser") == []


def test_every_curve_is_drawn(shown):
    assert all(pixels(shown, f"--c{i}") > 50 for i in range(6))
    assert pixels(shown, "--c6") == 0


def test_best_bandit_is_bold_and_full_information_is_marked(shown):
    bold = [x for x in shown.find_elements("css selector", ".best summary") if x.is_displayed()]
    assert len(bold) == 1
    assert "full information" not in bold[0].text
    marks = [x for x in shown.find_elements("css selector", ".mark") if x.is_displayed()]
    assert len(marks) == 2


@pytest.mark.parametrize("place", ["tbody .switch", ".legend button:last-child"])
def test_a_switch_hides_its_curve_and_shows_it_again(shown, place):
    line = find(shown, place).get_attribute("data-line")
    colour = shown.execute_script(f"return '--' + charts[0].lines[{line}].colour")
    both = f".switch[data-line='{line}']", f"[data-plot=curves] .legend [data-line='{line}']"
    for pressed in ("false", "true"):
        press(shown, place)
        if pressed == "false":  # nothing steps back from a curve that is gone
            assert shown.execute_script("return charts[0].focused") is None
        ActionChains(shown).move_to_element(find(shown, "h1")).perform()  # no curve in focus
        until(shown, lambda on=pressed == "true": (pixels(shown, colour) > 50) == on)
        assert [find(shown, x).get_attribute("aria-pressed") for x in both] == [pressed] * 2


def test_none_and_all(shown):
    press(shown, "[data-none]")
    until(shown, lambda: all(pixels(shown, f"--c{i}") == 0 for i in range(12)))
    assert {
        x.get_attribute("aria-pressed")
        for x in shown.find_elements("css selector", "#stream-0 .switch")
    } == {"false"}
    press(shown, "[data-all]")
    until(shown, lambda: all(pixels(shown, f"--c{i}") > 50 for i in range(6)))


def test_heads_sort(shown):
    before = names(shown)
    assert values(shown, 2) == sorted(values(shown, 2))
    press(shown, "thead th:nth-child(2) button")
    assert names(shown) == before[::-1]
    assert find(shown, "thead th:nth-child(2)").get_attribute("aria-sort") == "descending"
    find(shown, "thead th:nth-child(6) button").send_keys(Keys.ENTER)  # the fastest come first
    assert values(shown, 6) == sorted(values(shown, 6), reverse=True)
    assert len(shown.find_elements("css selector", "#stream-0 [aria-sort]")) == 1
    press(shown, "thead th:nth-child(1) button")
    assert names(shown) == sorted(names(shown))


def test_axes_turn_linear_and_back(shown):
    assert scales(shown)[0] == 10
    press(shown, "input[value=linear]")
    until(shown, lambda: scales(shown)[0] == 1)
    assert shown.execute_script("return charts[0].uplot.scales.y.distr") == 1
    assert pixels(shown, "--c0") > 50
    press(shown, "input[value=log]")
    until(shown, lambda: shown.execute_script("return charts[0].uplot.scales.y.distr") == 3)


def test_drag_zooms_and_double_click_goes_back(shown):
    whole = scales(shown)
    plot = find(shown, ".u-over")
    drag = ActionChains(shown).scroll_to_element(find(shown, ".u-over"))
    drag.move_to_element_with_offset(plot, -100, 0).click_and_hold().move_by_offset(
        150, 2
    ).release()
    drag.perform()
    until(shown, lambda: scales(shown)[0] > whole[0] and scales(shown)[1] < whole[1])
    script = "const s = charts[0].uplot.scales; return [s.x.min, s.x.max, s.y.min, s.y.max]"
    zoomed = shown.execute_script(script)
    press(shown, ".legend button")  # the worst curve goes, what is seen stays
    assert shown.execute_script(script) == zoomed
    press(shown, "#tab-1")
    press(shown, "#tab-0")
    assert shown.execute_script(script) == zoomed
    plot = find(shown, ".u-over")
    ActionChains(shown).double_click(plot).perform()
    until(shown, lambda: scales(shown) == whole)


def test_hovering_shows_values(shown):
    chain = ActionChains(shown).scroll_to_element(find(shown, ".u-over"))
    chain.move_to_element(find(shown, ".u-over")).perform()
    until(shown, lambda: find(shown, ".readout").text.startswith("round "))
    assert all(name in find(shown, ".readout").text for name in names(shown))


def test_streams_change_by_click_and_by_key(shown):
    first = values(shown, 2)
    press(shown, "#tab-1")
    until(shown, lambda: pixels(shown, "--c0") > 50)
    assert find(shown, "h2").text == "SynNonSep"
    assert values(shown, 2) != first
    find(shown, "#tab-1").send_keys(Keys.ARROW_RIGHT)
    assert find(shown, "h2").text == "letter"
    assert shown.switch_to.active_element.get_attribute("id") == "tab-0"


def test_dark(shown):
    def paper():
        return shown.execute_script("return getComputedStyle(document.body).backgroundColor")

    light = paper()
    look(shown, scheme="dark")
    until(shown, lambda: paper() != light and pixels(shown, "--c0") > 50)


def test_phone(shown):
    look(shown, width=390)
    for button in shown.find_elements("css selector", "[role=tab]"):
        button.click()
        until(shown, lambda: pixels(shown, "--c0") > 50 and width(shown) <= 390)


def test_paper_shows_every_stream(shown):
    shown.execute_script("dispatchEvent(new Event('beforeprint'))")
    assert shown.execute_script("return charts.every((c) => c.uplot && c.width < 700)")
    assert all(x.is_displayed() for x in shown.find_elements("css selector", ".stream"))
    shown.execute_script("dispatchEvent(new Event('afterprint'))")
    assert sum(x.is_displayed() for x in shown.find_elements("css selector", ".stream")) == 1


def test_names_are_text(shown, tmp_path):
    page.write(hostile(), tmp_path / "hostile.html")
    load(shown, (tmp_path / "hostile.html").as_uri())
    assert shown.title == f"{HOSTILE[1]} · onearm"
    assert set(HOSTILE) < set(names(shown))
    press(shown, ".switch")
    look(shown, width=390)
    until(shown, lambda: width(shown) <= 390)


@pytest.mark.parametrize("change", ["one run", "one stream", "no sweeps", "an unknown mean"])
def test_less_is_shown_too(shown, tmp_path, change):
    data = race(3, runs=1 if change == "one run" else 10)
    if change == "one stream":
        data["streams"] = data["streams"][:1]
    if change == "no sweeps":
        data["streams"][0]["exploration"] = []
    if change == "an unknown mean":
        curve = data["streams"][0]["learners"][0]["curve"]
        curve["mean"] = [float("nan")] * len(curve["mean"])
    page.write(data, tmp_path / "less.html")
    load(shown, (tmp_path / "less.html").as_uri())
    assert pixels(shown, "--c0") > 50


@pytest.mark.parametrize(
    ("clipboard", "copied_text"),
    [
        ("async (text) => { window.copied = text; }", "return window.copied"),
        ("async () => { throw new Error(); }", "return getSelection().toString()"),
    ],
    ids=["copied", "refused"],
)
def test_the_race_is_copied_or_selected(shown, clipboard, copied_text):
    # without the clock the button goes on saying what happened
    shown.execute_script(f"setTimeout = () => 0; navigator.clipboard.writeText = {clipboard}")
    press(shown, "[data-copy=toml]")
    until(
        shown, lambda: (shown.execute_script(copied_text) or "").strip() == race(6)["toml"].strip()
    )
    until(shown, lambda: find(shown, "[data-copy=toml]").text != "Copy")


def test_a_race_that_was_run(shown, tmp_path):
    learners = ["Perceptron", {"name": "Banditron", "gamma": [0.05, 0.2]}]
    results = onearm.race(["balance", "car"], learners, repeats=2, rounds=300, on=1)
    load(shown, results.write(tmp_path, "onearm race")[0].as_uri())
    text = shown.find_element("tag name", "body").text
    assert "Banditron gamma=0.2" in text
    assert "Balance Scale" in text
    assert "full information" in text
