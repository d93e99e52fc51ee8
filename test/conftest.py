"""Every test run gets a DDS domain of its own, on this machine only: no test moves a real robot.

Every test is marked, too: `ros` where it works with nodes, else `fast`, unless it says that it is
`slow`. A fast test that starts a process or sleeps fails.
"""

import os
import sys
import threading
from itertools import zip_longest
from pathlib import Path

import compiled_once
import hypothesis
import made_once
import pytest

from autourdf_ros.domain import claim_domain, private_environment

# Held to the end: between two tests with nodes the domain would look free to another test run.
DOMAIN, HELD = claim_domain()
os.environ.update(private_environment(DOMAIN))

# How long an example takes says how busy the machine is.
hypothesis.settings.register_profile("busy_machine", deadline=None)
hypothesis.settings.load_profile("busy_machine")


@pytest.fixture(scope="session", autouse=True)
def place(tmp_path_factory, request):
    """Where `made_once` and `compiled_once` keep what is made: one folder for all processes."""
    own = tmp_path_factory.getbasetemp()
    whole = own.parent if hasattr(request.config, "workerinput") else own
    os.environ[made_once.PLACE] = str(whole / "made_once")
    compiled_once.compile_once(whole / "compiled_once")


@pytest.fixture(scope="session", autouse=True)
def coarse_pictures():
    """Draw the meshes of reports as small pictures: to shade a large one takes half a second.

    Commands that tests start as processes draw them large.
    """
    figures = sys.modules.get("autourdf_ros.report.figures.mesh_figure")
    if figures:
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(figures, "_PIXELS", 100)
            yield
    else:
        yield


ROS_FOLDERS = {"ros", "launch_files"}
ROS_LIBRARIES = {"rclpy", "tf2_ros"}
STARTS = {"subprocess.Popen", "os.fork", "os.forkpty", "os.posix_spawn"}
MOST_SLEEP = 0.2  # s, of a fast test in all

_started: list[str] = []
_slept: list[float] = []


TESTS = Path(__file__).parent


def pytest_configure(config):
    """Let each of several processes begin with other folders when it imports all tests.

    In a new clone that compiles thousands of modules, and what one process has compiled the others
    load.
    """
    number = os.environ.get("PYTEST_XDIST_WORKER", "")[len("gw") :]
    if number and [Path(one).resolve() for one in config.args] == [TESTS]:
        parts = sorted({*TESTS.glob("*/"), *TESTS.glob("test_*.py")})
        first = int(number) * len(parts) // int(os.environ["PYTEST_XDIST_WORKER_COUNT"])
        config.args[:] = map(str, parts[first:] + parts[:first])


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items):
    """Mark all tests before `-m` selects some, and bring their files in order."""
    for item in items:
        if _works_with_nodes(item):
            item.add_marker("ros")
        elif not item.get_closest_marker("slow"):
            item.add_marker("fast")
    files = {}
    for item in items:
        files.setdefault(item.path, []).append(item)
    by_path = [files[path] for path in sorted(files, key=lambda path: path.parts)]
    items[:] = [item for file in _in_order(by_path) for item in file]


def _in_order(files):
    """Files in the order in which processes take them: those that wait and those that compute by
    turns, then those that are soon done, so that all processes end together."""
    waiting = [file for file in files if _has(file, "ros")]
    slow = [file for file in files if _has(file, "slow") and file not in waiting]
    fast = [file for file in files if file not in waiting and file not in slow]
    mixed = [file for pair in zip_longest(waiting, slow) for file in pair if file]
    return mixed + fast


def _has(file, marker):
    return any(item.get_closest_marker(marker) for item in file)


def _works_with_nodes(item):
    if item.path.relative_to(TESTS).parts[0] in ROS_FOLDERS:
        return True
    used = vars(item.module).values() if hasattr(item, "module") else ()
    origins = [getattr(one, "__module__", None) or getattr(one, "__name__", "") for one in used]
    return any(str(origin).partition(".")[0] in ROS_LIBRARIES for origin in origins)


def _on_audit(event, arguments):
    if event in STARTS:
        _started.append(str(arguments[0]) if arguments else event)
    elif event == "time.sleep" and threading.current_thread() is threading.main_thread():
        _slept.append(arguments[0])


sys.addaudithook(_on_audit)


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_setup():
    """Forget what the test before did."""
    _started.clear()
    _slept.clear()


@pytest.hookimpl(wrapper=True)
def pytest_runtest_call(item):
    """Fail a fast test that is none, where fast ones were asked for."""
    result = yield
    if item.get_closest_marker("fast") and "fast" in item.config.option.markexpr:
        if _started:
            pytest.fail(f"it starts {_started[0]}: mark it slow, see docs/testing.md")
        if sum(_slept) > MOST_SLEEP:
            pytest.fail(f"it sleeps {sum(_slept):.1f} s: mark it slow, see docs/testing.md")
    return result
