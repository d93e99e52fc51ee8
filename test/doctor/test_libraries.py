import importlib.util

import pytest

from autourdf_ros.doctor import libraries
from autourdf_ros.doctor.machine_finding import Status
from autourdf_ros.subprocesses import CheckError


@pytest.mark.slow
def test_this_machine_has_what_is_required() -> None:
    for check in (libraries.check_interpreter, libraries.check_open3d, libraries.check_pinocchio):
        finding = check()
        assert finding.status is Status.GOOD, str(finding)


def test_an_old_python_is_bad(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(libraries, "MINIMUM_PYTHON", (99, 0))
    assert libraries.check_interpreter().status is Status.BAD


@pytest.mark.parametrize(
    ("error", "remedy"),
    [
        ("OSError: libusb-1.0.so.0: cannot open shared object file", "libusb-1.0-0"),
        ("ImportError: libGL.so.1: cannot open shared object file", "libgl1"),
        ("ModuleNotFoundError: No module named 'open3d'", "make setup"),
    ],
)
def test_open3d_says_what_to_install(
    monkeypatch: pytest.MonkeyPatch, error: str, remedy: str
) -> None:
    def fail(*_: object, **__: object) -> str:
        raise CheckError(error)

    monkeypatch.setattr(libraries, "run_python", fail)
    finding = libraries.check_open3d()
    assert finding.status is Status.BAD
    assert remedy in str(finding)


def test_torch_is_optional(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(importlib.util, "find_spec", lambda _: None)
    assert libraries.check_torch().status is Status.NOTE
