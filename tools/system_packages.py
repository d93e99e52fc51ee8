"""What must come from the operating system: found out first, installed where that is allowed."""

from __future__ import annotations

import ctypes
import importlib
import importlib.util
import os
import shutil
import subprocess
import sys
import sysconfig
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

BROWSERS = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")


class Need(NamedTuple):
    """Something of the system: what it is, whether it is there, the Debian package that has it."""

    what: str
    present: Callable[[], bool]
    package: str


def _library(name: str) -> Callable[[], bool]:
    def present() -> bool:
        try:
            ctypes.CDLL(name)
        except OSError:
            return False
        return True

    return present


def _module(name: str) -> Callable[[], bool]:
    def present() -> bool:
        importlib.invalidate_caches()
        return importlib.util.find_spec(name) is not None

    return present


def _needs(generates_messages: bool) -> list[Need]:
    version = f"python{sys.version_info.major}.{sys.version_info.minor}"
    needs = [
        Need("Python's venv module", _module("ensurepip"), f"{version}-venv"),
        Need("libusb-1.0 (for Open3D)", _library("libusb-1.0.so.0"), "libusb-1.0-0"),
        Need("libGL (for Open3D)", _library("libGL.so.1"), "libgl1"),
        Need("libEGL (for Open3D)", _library("libEGL.so.1"), "libegl1"),
    ]
    if generates_messages:
        header = Path(sysconfig.get_path("include"), "Python.h")
        needs += [
            Need("a C++ compiler", lambda: shutil.which("c++") is not None, "g++"),
            Need("a C compiler", lambda: shutil.which("cc") is not None, "gcc"),
            Need("Python's headers", header.exists, f"{version}-dev"),
        ]
    return needs


def ensure(generates_messages: bool, run: Callable[[list[str]], None], log: Path) -> None:
    """Have all that is needed, or end with the one command that gives it.

    generates_messages: whether message packages will be compiled. run: runs a command, its output
    going to `log`.
    """
    missing = [need for need in _needs(generates_messages) if not need.present()]
    if not missing:
        return
    if _may_install():
        _install([need.package for need in missing], run, log)
        missing = [need for need in missing if not need.present()]
        if not missing:
            return
    lines = ["setup: the system lacks " + ", ".join(need.what for need in missing) + "."]
    if shutil.which("apt-get"):
        lines.append("Install it and run this again:")
        lines.append(
            "    sudo apt-get update && sudo apt-get install -y "
            + " ".join(need.package for need in missing)
        )
    else:
        lines.append(
            "Install it with the system's package manager (Debian calls the packages "
            + " ".join(need.package for need in missing)
            + ") and run this again."
        )
    sys.exit("\n".join(lines))


def offer_browser(run: Callable[[list[str]], None], log: Path) -> None:
    """Have a browser for the tests of the web viewer; only these are left out without one.

    run: runs a command, its output going to `log`.
    """
    if not find_browser() and _may_install():
        _install(["chromium"], run, log)
    if not find_browser():
        print("setup: no Chromium, so the viewer is not tested in a browser; to have it tested:")
        print("    sudo apt-get update && sudo apt-get install -y chromium", flush=True)


def find_browser() -> str | None:
    """Path of a Chromium of the system, or None."""
    return next(filter(None, map(shutil.which, BROWSERS)), None)


def _may_install() -> bool:
    return os.geteuid() == 0 and shutil.which("apt-get") is not None


def _install(packages: list[str], run: Callable[[list[str]], None], log: Path) -> None:
    print(f"setup: installing {' '.join(packages)} of the system", flush=True)
    os.environ["DEBIAN_FRONTEND"] = "noninteractive"
    try:
        run(["apt-get", "update"])
        run(["apt-get", "install", "-y", "--no-install-recommends", *packages])
    except subprocess.CalledProcessError as error:
        print(f"setup: {error}; its output is at the end of {log}", file=sys.stderr)
