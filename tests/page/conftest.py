"""A browser for the tests of pages: Debian's Chromium, without a window."""

import os
import shutil

import pytest
from selenium import webdriver


def programs():
    programs = shutil.which("chromium"), shutil.which("chromedriver")
    if None in programs:
        pytest.skip("no chromium and chromedriver found: make browser installs them")
    return programs


@pytest.fixture(scope="module")
def browser():
    chromium, driver = programs()
    options = webdriver.ChromeOptions()
    options.binary_location = chromium
    for argument in ("--headless=new", "--disable-gpu", "--disable-dev-shm-usage"):
        options.add_argument(argument)
    if os.geteuid() == 0:
        options.add_argument("--no-sandbox")  # Chromium has none to offer to root
    options.set_capability("goog:loggingPrefs", {"browser": "ALL"})
    opened = webdriver.Chrome(options, webdriver.ChromeService(driver))
    yield opened
    opened.quit()
