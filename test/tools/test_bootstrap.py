"""The set-up, without installing anything: what is done, in which order, and what is said."""

from __future__ import annotations

import re
import sys
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tools"))

import bootstrap  # noqa: E402

LOCKS = sorted((ROOT / "requirements").glob("*.txt"))


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty project folder that the set-up works on."""
    (tmp_path / ".venv").mkdir()
    places = {"VENV": ".venv", "STAMPS": ".venv/setup", "UNFINISHED": ".unfinished", "LOG": "log"}
    for name, path in places.items():
        monkeypatch.setattr(bootstrap, name, tmp_path / path)
    monkeypatch.setattr(bootstrap.system_packages, "ensure", lambda *_: None)
    monkeypatch.setenv("ROS_DISTRO", "")
    monkeypatch.delenv("AMENT_PREFIX_PATH", raising=False)
    return tmp_path


class Steps:
    """Three steps on three files; records which of them ran."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.ran: list[str] = []
        self.failing = ""
        for name in "abc":
            (folder / name).write_text(name)

    def perform(self) -> list[str]:
        """Run what is pending, as one set-up; returns what ran."""
        self.ran = []
        with (self.folder / "log").open("a") as log:
            bootstrap._perform(bootstrap.Setup(log), [self.step(name) for name in "abc"])
        return self.ran

    def step(self, name: str) -> Any:
        def run() -> None:
            self.ran.append(name)
            if name == self.failing:
                raise OSError("no space left")

        return bootstrap.Step(name, f"step {name}", [self.folder / name], run)


def test_every_step_is_done_once(folder: Path) -> None:
    steps = Steps(folder)
    assert steps.perform() == ["a", "b", "c"]
    assert steps.perform() == []


def test_a_changed_file_repeats_its_step_and_all_later_ones(folder: Path) -> None:
    steps = Steps(folder)
    steps.perform()
    (folder / "b").write_text("changed")
    assert steps.perform() == ["b", "c"]


def test_a_failure_is_reported_and_begins_again(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    steps = Steps(folder)
    steps.failing = "b"
    with pytest.raises(SystemExit) as failure:
        steps.perform()
    assert "no space left" in str(failure.value)
    assert str(folder / "log") in str(failure.value)
    assert "setup 2/3: step b" in capsys.readouterr().out
    assert (folder / ".unfinished").exists()


def test_what_did_not_end_is_removed_first(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (folder / ".unfinished").touch()
    (folder / ".venv" / "half_a_package").touch()
    monkeypatch.setattr(sys, "prefix", sys.base_prefix)
    monkeypatch.setattr(bootstrap.Setup, "steps", lambda *_, **__: [])
    bootstrap.main([])
    assert not (folder / ".venv").exists()
    assert not (folder / ".unfinished").exists()


@pytest.mark.slow
def test_a_sourced_distribution_keeps_its_ros_and_numpy(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ROS_DISTRO", "jazzy")
    with (folder / "log").open("a") as log:
        setup = bootstrap.Setup(log)
        assert setup.distribution == "jazzy"
        (packages,) = (step for step in setup.steps(False) if step.name == "packages")
        assert [lock.name for lock in packages.inputs] == ["core.txt", "demo.txt"]
        commands: list[list[Any]] = []
        monkeypatch.setattr(setup, "run", lambda command, **_: commands.append(command))
        (folder / ".venv" / "setup").mkdir()
        packages.run()
    (command,) = commands
    kept = [Path(part).read_text() for part in command if str(part).endswith(".txt")]
    assert "\nscipy==" in kept[0]
    assert "\nnumpy==" not in kept[0]
    locked = (ROOT / "requirements" / "core.txt").read_text()
    assert len(re.findall(r"^\S+==", kept[0], re.M)) == len(re.findall(r"^\S+==", locked, re.M)) - 1
    assert set(kept[0].splitlines()) <= set(locked.splitlines())


def test_where_a_distribution_lacks_messages_the_command_that_installs_them_is_shown(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ROS_DISTRO", "jazzy")
    monkeypatch.setattr(bootstrap, "_importable", lambda name: name == "tf2_msgs")
    with (folder / "log").open("a") as log:
        setup = bootstrap.Setup(log)
        with pytest.raises(SystemExit) as failure:
            setup.provide_messages()
    assert "lacks control_msgs;" in str(failure.value)
    assert str(failure.value).endswith("apt-get install -y ros-jazzy-control-msgs")


def test_changed_interfaces_are_generated_anew(folder: Path) -> None:
    with (folder / "log").open("a") as log:
        steps = bootstrap.Setup(log).steps(False)
    (inputs,) = (step.inputs for step in steps if step.name == "messages")
    names = {path.name for path in inputs}
    assert {"TFMessage.msg", "FollowJointTrajectory.action", "JointTolerance.msg"} <= names
    assert {"Capture.action", "Identify.action", "Reconstruct.action"} <= names


def test_what_building_leaves_does_not_count(tmp_path: Path) -> None:
    tmp_path = tmp_path / "build"
    for name in ("pyproject.toml", "module.py", "build/lib/module.py", "a.egg-info/SOURCES.txt"):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).touch()
    assert [path.name for path in bootstrap._files(tmp_path)] == ["module.py", "pyproject.toml"]


def test_on_other_platforms_it_says_what_to_do(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bootstrap.platform, "machine", lambda: "aarch64")
    with pytest.raises(SystemExit, match=r"aarch64; install ROS 2, source its setup\.bash"):
        bootstrap._check_platform("")
    bootstrap._check_platform("jazzy")


@pytest.mark.slow
def test_pip_settings_reach_the_installer(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = tmp_path / "pip.conf"
    file.write_text(
        "[global]\nindex-url = file:///a\nextra-index-url =\n    file:///b\n    file:///c\n"
    )
    monkeypatch.setenv("PIP_CONFIG_FILE", str(file))
    monkeypatch.setenv("PIP_INDEX_URL", "file:///of_the_environment")
    monkeypatch.setattr(bootstrap, "PYTHON", sys.executable)
    for name in (*bootstrap.PIP_SETTINGS.values(), "PIP_EXTRA_INDEX_URL"):
        monkeypatch.delenv(name, raising=False)
    settings = bootstrap._pip_settings()
    assert settings["UV_DEFAULT_INDEX"] == "file:///of_the_environment"
    assert settings["UV_INDEX"] == "file:///b file:///c"
    monkeypatch.setenv("UV_INDEX", "file:///d")
    assert "UV_INDEX" not in bootstrap._pip_settings()


@pytest.mark.parametrize("lock", LOCKS, ids=lambda lock: lock.name)
def test_every_pinned_package_has_hashes_and_names_no_index(lock: Path) -> None:
    text = lock.read_text()
    entries = re.split(r"^(?=[\w.-]+==)", text, flags=re.M)[1:]
    assert entries
    for entry in entries:
        assert "--hash=sha256:" in entry, entry.splitlines()[0]
    lines = [line for line in text.splitlines() if not line.lstrip().startswith("#")]
    assert not [line for line in lines if "://" in line or "--index" in line]


def test_every_requirement_is_pinned_to_one_version() -> None:
    pinned: dict[str, set[str]] = {}
    for lock in LOCKS:
        for name, version in re.findall(r"^([\w.-]+)==([^\s;\\]+)", lock.read_text(), re.M):
            pinned.setdefault(name, set()).add(version)
    assert {name for name, versions in pinned.items() if len(versions) > 1} == set()
    for file in (ROOT / "requirements").glob("*.in"):
        wanted = re.findall(r"^([A-Za-z][\w.-]*)", file.read_text(), re.M)
        assert {name.lower().replace("_", "-") for name in wanted} <= set(pinned), file.name
