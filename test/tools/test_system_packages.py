"""What is said and done about what the system lacks."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "tools"))

import system_packages

LOG = Path("setup.log")


@pytest.fixture
def installed(monkeypatch: pytest.MonkeyPatch) -> set[str]:
    """Packages of a system that lacks two things at first."""
    packages: set[str] = set()
    needs = [
        system_packages.Need("a compiler", lambda: "g++" in packages, "g++"),
        system_packages.Need("libusb", lambda: "libusb-1.0-0" in packages, "libusb-1.0-0"),
        system_packages.Need("something present", lambda: True, "base-files"),
    ]
    monkeypatch.setattr(system_packages, "_needs", lambda _: needs)
    monkeypatch.setattr(shutil, "which", lambda name: f"/usr/bin/{name}")
    return packages


def never(command: list[str]) -> None:
    raise AssertionError(f"ran {command}")


def test_root_installs_what_is_missing(
    installed: set[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(os, "geteuid", lambda: 0)
    commands = []

    def run(command: list[str]) -> None:
        commands.append(command)
        if "install" in command:
            installed.update(command)

    system_packages.ensure(True, run, LOG)
    assert commands[0] == ["apt-get", "update"]
    assert commands[1][-2:] == ["g++", "libusb-1.0-0"]
    system_packages.ensure(True, never, LOG)


@pytest.mark.usefixtures("installed")
def test_a_user_without_rights_gets_the_one_command(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "geteuid", lambda: 1000)
    with pytest.raises(SystemExit) as end:
        system_packages.ensure(True, never, LOG)
    lines = str(end.value).splitlines()
    assert lines[0] == "setup: the system lacks a compiler, libusb."
    assert lines[-1].strip() == "sudo apt-get update && sudo apt-get install -y g++ libusb-1.0-0"


@pytest.mark.usefixtures("installed")
def test_an_installation_that_fails_gives_the_command_too(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(os, "geteuid", lambda: 0)

    def fail(command: list[str]) -> None:
        raise subprocess.CalledProcessError(100, command)

    with pytest.raises(SystemExit, match="apt-get install -y g"):
        system_packages.ensure(True, fail, LOG)
    assert "setup.log" in capsys.readouterr().err


@pytest.mark.usefixtures("installed")
def test_on_other_systems_it_names_the_packages(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(shutil, "which", lambda _: None)
    with pytest.raises(SystemExit, match=r"Debian calls the packages g\+\+ libusb-1\.0-0"):
        system_packages.ensure(True, never, LOG)


def test_this_machine_lacks_nothing() -> None:
    system_packages.ensure(True, never, LOG)


@pytest.fixture
def programs(monkeypatch: pytest.MonkeyPatch) -> set[str]:
    """Programs of a system, on which root may install."""
    there = {"apt-get"}
    monkeypatch.setattr(shutil, "which", lambda name: f"/bin/{name}" if name in there else None)
    monkeypatch.setattr(os, "geteuid", lambda: 0)
    return there


def test_root_gets_a_browser_once(programs: set[str], capsys: pytest.CaptureFixture[str]) -> None:
    system_packages.offer_browser(lambda command: programs.update(command), LOG)
    assert system_packages.find_browser() == "/bin/chromium"
    assert "installing chromium" in capsys.readouterr().out
    system_packages.offer_browser(never, LOG)
    assert capsys.readouterr().out == ""


def test_any_chromium_will_do(programs: set[str]) -> None:
    programs.add("google-chrome")
    system_packages.offer_browser(never, LOG)


@pytest.mark.usefixtures("programs")
def test_without_rights_the_set_up_goes_on_without_a_browser(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(os, "geteuid", lambda: 1000)
    system_packages.offer_browser(never, LOG)
    assert "apt-get install -y chromium" in capsys.readouterr().out


@pytest.mark.usefixtures("programs")
def test_a_browser_that_cannot_be_had_is_no_error(capsys: pytest.CaptureFixture[str]) -> None:
    def fail(command: list[str]) -> None:
        raise subprocess.CalledProcessError(100, command)

    system_packages.offer_browser(fail, LOG)
    printed = capsys.readouterr()
    assert "not tested in a browser" in printed.out and "setup.log" in printed.err
