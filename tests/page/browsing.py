"""Actions and observations of a user in a browser."""

from selenium.common.exceptions import NoSuchElementException
from selenium.webdriver import ActionChains
from selenium.webdriver.support.wait import WebDriverWait

# how many pixels of the canvas in view have nearly the colour of a CSS variable, and are not shade;
# none while there is no canvas: a chart is made after its panel was shown
PIXELS = """
const canvas = [...document.querySelectorAll("canvas")].find((c) => c.offsetParent);
if (!canvas) return 0;
const wanted = parseInt(getComputedStyle(document.documentElement)
  .getPropertyValue(arguments[0]).trim().slice(1), 16);
const { width, height } = canvas;
const copy = new OffscreenCanvas(width, height).getContext("2d", { willReadFrequently: true });
copy.drawImage(canvas, 0, 0);
const { data } = copy.getImageData(0, 0, width, height);
let n = 0;
for (let i = 0; i < data.length; i += 4)
  n += data[i + 3] > 128 && [16, 8, 0].every((bits, j) =>
    Math.abs(data[i + j] - (wanted >> bits & 255)) < 20);
return n;
"""


def look(browser, width=1280, scheme="light"):
    size = {"width": width, "height": 900, "deviceScaleFactor": 1, "mobile": False}
    browser.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", size)
    feature = {"name": "prefers-color-scheme", "value": scheme}
    browser.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": [feature]})


def load(browser, address):
    browser.get(address)
    until(browser, lambda: browser.execute_script("return charts[0].uplot != null"))


def until(browser, true):
    WebDriverWait(browser, 30, poll_frequency=0.05).until(lambda _: true())


def find(browser, css):
    for element in browser.find_elements("css selector", css):
        if element.is_displayed():
            return element
    raise NoSuchElementException(css)  # for which `until` waits


def press(browser, css):
    """Click where a user would, after scrolling there."""
    ActionChains(browser).scroll_to_element(find(browser, css)).click(find(browser, css)).perform()


def pixels(browser, colour):
    return browser.execute_script(PIXELS, colour)


def width(browser):
    """Return how wide the page is, with what sticks out."""
    return browser.execute_script("return document.documentElement.scrollWidth")


def names(browser):
    rows = browser.find_elements("css selector", "tbody th")
    return [row.get_attribute("data-value") for row in rows if row.is_displayed()]


def values(browser, column):
    cells = browser.find_elements("css selector", f"tbody td:nth-child({column})")
    return [float(cell.get_attribute("data-value")) for cell in cells if cell.is_displayed()]


def scales(browser):
    return browser.execute_script("const s = charts[0].uplot.scales; return [s.x.min, s.x.max]")
