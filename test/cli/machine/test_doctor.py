import argparse

import pytest

from autourdf_ros.cli.machine import doctor
from autourdf_ros.doctor import libraries, middleware
from autourdf_ros.doctor.machine_finding import Finding, bad, good, note

LIBRARY_CHECKS = ("check_interpreter", "check_open3d", "check_pinocchio", "check_torch")
ROS_CHECKS = ("check_ros", "check_packages", "check_round_trip", "check_topics")


@pytest.fixture
def findings(monkeypatch: pytest.MonkeyPatch) -> dict[str, Finding]:
    """What each check finds; the doctor is tested apart from this machine's health."""
    found = dict.fromkeys((*LIBRARY_CHECKS, *ROS_CHECKS), good("Part", "fine"))
    for module, names in ((libraries, LIBRARY_CHECKS), (middleware, ROS_CHECKS)):
        for name in names:
            monkeypatch.setattr(module, name, lambda name=name: found[name])
    return found


def test_a_healthy_machine_gives_0(
    findings: dict[str, Finding], capsys: pytest.CaptureFixture[str]
) -> None:
    findings["check_torch"] = note("PyTorch", "not installed")
    assert doctor.run(argparse.Namespace()) == 0
    lines = capsys.readouterr().out.splitlines()
    assert len(lines) == 8
    assert "note  PyTorch: not installed" in lines


def test_a_failed_requirement_gives_1_and_says_what_to_do(
    findings: dict[str, Finding], capsys: pytest.CaptureFixture[str]
) -> None:
    findings["check_open3d"] = bad("Open3D", "no libusb", "install libusb-1.0-0")
    assert doctor.run(argparse.Namespace()) == 1
    output = capsys.readouterr().out
    assert "FAIL  Open3D: no libusb\n      -> install libusb-1.0-0\n" in output
    assert output.endswith("1 of 8 checks failed.\n")
