"""The page in a real browser: the robot is seen, and moves when a slider on the page does."""

import io
import sys
import time
from pathlib import Path

import numpy as np
import pytest
from PIL import Image
from playwright.sync_api import sync_playwright

from autourdf_ros.viewer.local_server import start_server, stop_server
from autourdf_ros.viewer.page import Page
from autourdf_ros.viewer.recorded_frames import find_recording, moments
from autourdf_ros.viewer.viewed_result import load_result

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "tools"))

import system_packages

PATIENCE = 120  # s for a busy machine without a graphics card
QUIET = (
    "--no-sandbox --use-angle=swiftshader --enable-unsafe-swiftshader --disable-quic "
    "--no-first-run --disable-background-networking --disable-component-update --disable-sync"
)
SCENE = (200, 160, 600, 600)  # left, top, right, bottom: no panel and no notice lies on it

pytestmark = [pytest.mark.slow, pytest.mark.timeout(4 * PATIENCE)]


@pytest.fixture(scope="module")
def address(sample):
    result = load_result(sample.folder)
    recording, _ = find_recording(result.document, None)
    server = start_server(port=0)
    Page(server, result, moments(result.document, recording))
    yield f"http://127.0.0.1:{server.get_port()}"
    stop_server(server)


@pytest.fixture(scope="module")
def browser():
    path = system_packages.find_browser()
    if path is None:
        pytest.skip("no Chromium on this system; tools/bootstrap test installs it for root")
    with sync_playwright() as playwright:
        # A new and empty profile, which goes with it.
        launched = playwright.chromium.launch(executable_path=path, args=QUIET.split())
        yield launched
        launched.close()


def picture(page, path):
    """The scene as (H, W, 3) of integers, once it stands still; kept at `path` to look at."""
    left, top, right, bottom = SCENE
    clip = {"x": left, "y": top, "width": right - left, "height": bottom - top}
    before, end = None, time.monotonic() + PATIENCE
    while time.monotonic() < end:
        shot = page.screenshot(path=path, clip=clip, timeout=1e3 * PATIENCE)
        now = np.asarray(Image.open(io.BytesIO(shot)).convert("RGB")).astype(int)
        # What is white has not appeared yet.
        if before is not None and np.array_equal(now, before) and now.min() < 100:
            return now
        before = now
        page.wait_for_timeout(500)
    raise AssertionError("the scene did not come to rest")


def changed(one, other):
    """Share of the pixels that differ plainly."""
    return float((np.abs(one - other).max(-1) > 40).mean())


def test_a_slider_of_the_page_moves_the_robot_and_a_button_moves_it_back(
    browser, address, tmp_path
):
    page = browser.new_page(viewport={"width": 1000, "height": 600})
    page.set_default_timeout(1e3 * PATIENCE)
    asked = []
    page.on("request", lambda request: asked.append(request.url))
    page.goto(address)
    sliders = page.get_by_role("slider")
    sliders.nth(4).wait_for(state="attached")
    assert sliders.count() == 5  # the time and the joints

    text = page.locator("body").inner_text()
    names = ["spin", "arm_lift", "slide", "shoulder_pan"]
    assert sorted(names, key=text.index) == names, "the doubtful joint does not come first"
    assert "▲ 1 doubtful" in text and "67% sure of its parent" in text
    assert "Mind <script>this</script>." in text

    first = picture(page, tmp_path / "first.png")
    sliders.nth(2).focus()
    page.keyboard.press("End")
    moved = picture(page, tmp_path / "moved.png")
    assert changed(first, moved) > 0.01

    page.get_by_role("button", name="back to the reference").click()
    back = picture(page, tmp_path / "back.png")
    assert changed(first, back) < 0.2 * changed(first, moved)

    sliders.nth(0).focus()
    page.keyboard.press("End")
    page.get_by_text("sequence 0001, frame 5 of 5").wait_for()
    assert changed(back, picture(page, tmp_path / "frame.png")) > 0.01

    elsewhere = [url for url in asked if not url.startswith((address, "data:", "blob:"))]
    assert elsewhere == [], "the page must work offline"
    page.close()
