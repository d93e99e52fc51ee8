import time
import webbrowser

import pytest

from autourdf_ros.demo import shown_page
from autourdf_ros.demo.processes import ProcessGroups
from autourdf_ros.domain import private_environment

pytestmark = pytest.mark.slow


def test_a_page_on_a_free_port_follows_the_folder_of_the_demo(tmp_path):
    out = tmp_path / "out"
    out.mkdir()
    with ProcessGroups(out / "logs", private_environment(1)) as processes:
        shown_page.start_page(out, processes)
        end = time.monotonic() + 100
        while not shown_page.page_address(processes):
            processes.check()
            assert time.monotonic() < end
            time.sleep(0.1)
        assert shown_page.page_address(processes).startswith("http://127.0.0.1:")
        assert processes.names == (shown_page.VIEW,)
        page = processes._processes[shown_page.VIEW]
    assert page.poll() is not None


@pytest.mark.parametrize(("cores", "early"), [(1, False), (2, False), (3, True)])
def test_an_early_model_is_shown_where_a_core_is_left(monkeypatch, tmp_path, cores, early):
    monkeypatch.setattr(shown_page, "thread_count", lambda: cores)
    started = {}

    class Processes:
        def start(self, name, command):
            started[name] = command

    shown_page.start_page(tmp_path, Processes())
    assert ("--early-model" in started[shown_page.VIEW]) is early


def test_no_browser_is_opened_without_a_screen(monkeypatch):
    opened = []
    monkeypatch.setattr(webbrowser, "open", opened.append)
    for name in ("DISPLAY", "WAYLAND_DISPLAY"):
        monkeypatch.delenv(name, raising=False)
    shown_page.open_in_browser("http://127.0.0.1:1")
    assert opened == []
    monkeypatch.setenv("DISPLAY", ":0")
    shown_page.open_in_browser("http://127.0.0.1:1")
    assert opened == ["http://127.0.0.1:1"]
