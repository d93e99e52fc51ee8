"""Sets up .venv with everything that the project needs; run by tools/bootstrap.

Each step is done once: its stamp holds a digest of what went into it, so that a changed file runs
it and all later ones again. A step that did not end (killed, no network, disk full) may have left
half an installed package behind, so the next run begins with a new environment; what was
downloaded is in the installer's cache.
"""

from __future__ import annotations

import fcntl
import hashlib
import importlib.util
import os
import platform
import re
import shutil
import subprocess
import sys
import sysconfig
import tempfile
import time
import venv
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple, TextIO

import light_torch
import system_packages

ROOT = Path(__file__).resolve().parent.parent
VENV = ROOT / ".venv"
PYTHON = VENV / "bin" / "python"
STAMPS = VENV / "setup"
UNFINISHED = ROOT / ".setup-unfinished"
LOG = ROOT / "setup.log"
BARE_ROS = ROOT / "bare_ros"
MESSAGES = ("control_msgs", "tf2_msgs")
OWN_MESSAGES = ROOT / "autourdf_msgs"
STAND_INS = ("tf2_ros", "sensor_msgs_py")

# pip's settings, and the variables that mean the same to uv.
PIP_SETTINGS = {
    "index-url": "UV_DEFAULT_INDEX",
    "extra-index-url": "UV_INDEX",
    "find-links": "UV_FIND_LINKS",
    "cert": "SSL_CERT_FILE",
    "proxy": "ALL_PROXY",
}


class Step(NamedTuple):
    """A step of the set-up: the stamp's name, a line for people, the files that it depends on."""

    name: str
    title: str
    inputs: list[Path]
    run: Callable[[], None]


class Setup:
    """The set-up, and where its output goes. `distribution`: the sourced ROS, empty if none."""

    def __init__(self, log: TextIO) -> None:
        self.log = log
        self.distribution = _sourced_distribution()

    def run(self, command: list[str | Path], **environment: str) -> None:
        """Run a command, its output going to the log.

        It inherits the log and with it the lock, so that it is waited for should this be killed.
        """
        print("$", *command, file=self.log, flush=True)
        subprocess.run(
            [str(part) for part in command],
            cwd=ROOT,
            env=os.environ | environment,
            stdin=subprocess.DEVNULL,
            stdout=self.log,
            stderr=subprocess.STDOUT,
            pass_fds=(self.log.fileno(),),
            check=True,
        )

    def steps(self, with_tests: bool) -> list[Step]:
        """All steps in order."""
        groups = ["core", "demo"] + ([] if self.distribution else ["ros", "ros_build"])
        locks = [_lock(group) for group in groups]
        ros = f"keeping ROS 2 {self.distribution}" if self.distribution else "with ROS 2"
        packages = [*(BARE_ROS / name for name in MESSAGES), OWN_MESSAGES]
        messages = [file for package in packages for file in _files(package)]
        project = [ROOT / name for name in ("pyproject.toml", "setup.py", "setup.cfg")]
        steps = [
            Step("venv", "creating .venv", [_lock("bootstrap")], self.create_environment),
            Step(
                "packages",
                f"installing Python packages {ros} (several 100 MB at first)",
                locks,
                lambda: self.install_locked(locks),
            ),
            Step(
                "messages",
                f"providing {', '.join(package.name for package in packages)}",
                messages,
                self.provide_messages,
            ),
            Step("stand_ins", "providing tf2_ros", _files(BARE_ROS), self.provide_stand_ins),
            Step("project", "installing autourdf", project, lambda: self.install("-e", ROOT)),
        ]
        if with_tests:
            tests = [_lock("test")]
            steps.append(
                Step("tests", "installing test tools", tests, lambda: self.install_locked(tests))
            )
            networks = [ROOT / "tools" / "light_torch.py"]
            steps.append(
                Step(
                    "networks",
                    "installing PyTorch, if it is to be had without CUDA",
                    networks,
                    lambda: light_torch.offer_torch(PYTHON, self.run),
                )
            )
        return steps

    def create_environment(self) -> None:
        """A virtual environment with the pinned installer in it."""
        if not _environment_works():
            shutil.rmtree(VENV, ignore_errors=True)
            venv.create(VENV, with_pip=True, system_site_packages=bool(self.distribution))
        lock = _lock("bootstrap")
        self.run([PYTHON, "-m", "pip", "install", "--quiet", "--require-hashes", "-r", lock])

    def install_locked(self, locks: list[Path]) -> None:
        """Install exactly what is pinned, hashes checked, wheels only (of empy there is none)."""
        arguments: list[str | Path] = ["--require-hashes", "--only-binary", ":all:"]
        arguments += ["--no-binary", "empy"]
        for lock in locks:
            arguments += ["-r", _without_numpy(lock) if self.distribution else lock]
        self.install(*arguments)

    def install(self, *arguments: str | Path) -> None:
        """Install without looking for dependencies (all are pinned), and build with no download."""
        command = [VENV / "bin" / "uv", "pip", "install", "--no-config", "--python", PYTHON]
        self.run([*command, "--no-deps", "--no-build-isolation", *arguments], **_pip_settings())

    def provide_messages(self) -> None:
        """Generate messages into .venv, as `colcon build` would, where ROS comes from wheels.

        A sourced ROS has MESSAGES, and a workspace builds OWN_MESSAGES.
        """
        if self.distribution:
            absent = [name for name in MESSAGES if not _importable(name)]
            if absent:
                packages = [f"ros-{self.distribution}-{name.replace('_', '-')}" for name in absent]
                sys.exit(
                    f"\nsetup: ROS 2 {self.distribution} lacks {', '.join(absent)}; install with:\n"
                    f"    sudo apt-get install -y {' '.join(packages)}"
                )
            if not _importable(OWN_MESSAGES.name):
                print(
                    f"\n    the nodes with actions need {OWN_MESSAGES.name}: colcon build "
                    f"--base-paths {OWN_MESSAGES}, and source its install/setup.sh"
                )
            return
        _adopt_exported_paths()
        for package in (*(BARE_ROS / name for name in MESSAGES), OWN_MESSAGES):
            self.generate(package)

    def generate(self, package: Path) -> None:
        """Build a package of messages into .venv."""
        environment = {
            "PATH": f"{VENV / 'bin'}{os.pathsep}{os.environ['PATH']}",
            "CMAKE_PREFIX_PATH": str(VENV),
            "AMENT_PREFIX_PATH": str(VENV),
        }
        with tempfile.TemporaryDirectory() as build:
            definitions = {
                "CMAKE_INSTALL_PREFIX": VENV,
                "CMAKE_BUILD_TYPE": "Release",
                "BUILD_TESTING": "OFF",
                "Python3_EXECUTABLE": PYTHON,
                "Python3_FIND_VIRTUALENV": "ONLY",
            }
            configure = ["cmake", "-S", package, "-B", build, "-G", "Ninja"]
            configure += [f"-D{name}={value}" for name, value in definitions.items()]
            self.run(configure, **environment)
            self.run(["cmake", "--build", build, "--target", "install"], **environment)

    def provide_stand_ins(self) -> None:
        """Install the stand-ins for those ROS packages that are absent."""
        for name in STAND_INS:
            if not self.distribution or not _importable(name):
                self.install(BARE_ROS / name)


def main(arguments: list[str]) -> None:
    """Do all steps that are not done."""
    if sys.prefix != sys.base_prefix:  # started in an activated .venv, which may be replaced
        base = sys._base_executable  # type: ignore[attr-defined]
        os.execv(base, [base, __file__, *arguments])
    with LOG.open("a") as log:
        try:
            fcntl.flock(log, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            print("setup: waiting for another set-up of this folder", flush=True)
            fcntl.flock(log, fcntl.LOCK_EX)
        if UNFINISHED.exists():
            print("setup: the last one did not end, beginning again", flush=True)
            shutil.rmtree(VENV, ignore_errors=True)
            UNFINISHED.unlink()
        setup = Setup(log)
        with_tests = "test" in arguments
        _perform(setup, setup.steps(with_tests))
        if with_tests:
            system_packages.offer_browser(setup.run, LOG)


def _perform(setup: Setup, steps: list[Step]) -> None:
    digest = hashlib.sha256(f"{sys.version} {sys.base_prefix} {setup.distribution}".encode())
    changed = False
    for number, step in enumerate(steps, start=1):
        for file in step.inputs:
            digest.update(file.read_bytes())
        stamp = STAMPS / step.name
        if not changed and stamp.exists() and stamp.read_text() == digest.hexdigest():
            continue
        if not changed:
            _check_platform(setup.distribution)
            system_packages.ensure(not setup.distribution, setup.run, LOG)
            changed = True
        print(f"setup {number}/{len(steps)}: {step.title}", end=" ", flush=True)
        started = time.monotonic()
        UNFINISHED.touch()
        try:
            step.run()
        except (subprocess.CalledProcessError, OSError) as error:
            if isinstance(error, OSError):
                print(error, file=setup.log, flush=True)
            end = "\n    ".join(LOG.read_text(errors="replace").splitlines()[-4:])
            sys.exit(f"- failed:\n    {end}\nsetup: all output is in {LOG}")
        STAMPS.mkdir(exist_ok=True)
        stamp.write_text(digest.hexdigest())
        UNFINISHED.unlink()
        print(f"({time.monotonic() - started:.0f} s)", flush=True)


def _check_platform(distribution: str) -> None:
    machine = f"{platform.system()} {platform.machine()}"
    if not distribution and machine != "Linux x86_64":
        sys.exit(
            f"setup: ROS 2 wheels exist for Linux x86_64 only, this is {machine}; "
            "install ROS 2, source its setup.bash and run this again."
        )


def _sourced_distribution() -> str:
    """Name of the ROS distribution that is sourced and imports here, or an empty text."""
    name = os.environ.get("ROS_DISTRO", "")
    if not name and "AMENT_PREFIX_PATH" not in os.environ:
        return ""
    if importlib.util.find_spec("rclpy") is None:
        version = platform.python_version()
        print(f"setup: ROS '{name}' is sourced, but Python {version} has no rclpy; not using it")
        return ""
    return name or "(unnamed)"


def _environment_works() -> bool:
    """Whether .venv is a whole environment of this very Python."""
    script = "import pip, sys; print(sys.version, sys.base_prefix)"
    try:
        result = subprocess.run([PYTHON, "-c", script], capture_output=True, text=True, check=True)
    except (OSError, subprocess.CalledProcessError):
        return False
    return result.stdout.strip() == f"{sys.version} {sys.base_prefix}"


def _importable(module: str) -> bool:
    """Whether .venv, or the ROS that it sees, has a module."""
    return subprocess.run([PYTHON, "-c", f"import {module}"], capture_output=True).returncode == 0


def _lock(group: str) -> Path:
    return ROOT / "requirements" / f"{group}.txt"


def _files(folder: Path) -> list[Path]:
    """The sources below a folder, less what building leaves beside them."""
    sources = (".py", ".toml", ".txt", ".xml", ".msg", ".action")
    return sorted(
        path
        for path in folder.rglob("*")
        if path.suffix in sources
        and not any(
            part == "build" or part.endswith(".egg-info") for part in path.relative_to(folder).parts
        )
    )


def _without_numpy(lock: Path) -> Path:
    """The lock file less numpy: rclpy and its messages need the one they were compiled against."""
    kept = STAMPS / lock.name
    kept.write_text(re.sub(r"^numpy==(.*\\\n)*.*\n", "", lock.read_text(), flags=re.MULTILINE))
    return kept


def _pip_settings() -> dict[str, str]:
    """Return pip's settings for uv, from files and environment; uv's own variables come first."""
    lines = subprocess.run(
        [PYTHON, "-m", "pip", "config", "list"], capture_output=True, text=True, check=True
    ).stdout.splitlines()
    found: dict[str, str] = {}
    # Sections in rising order of precedence, as pip reads them.
    for section in ("global", "install", ":env:"):
        for line in lines:
            setting, _, value = line.partition("=")
            name = setting.removeprefix(f"{section}.")
            if name != setting and name in PIP_SETTINGS:
                found[PIP_SETTINGS[name]] = " ".join(value.strip("'\"").split("\\n")).strip()
    # As pip does, take a package from whichever index has it; its hash is checked anyway.
    found["UV_INDEX_STRATEGY"] = "unsafe-best-match"
    return {name: value for name, value in found.items() if name not in os.environ}


def _adopt_exported_paths() -> None:
    """Point the wheels' CMake exports from the Python that they were built with to this one."""
    include = sysconfig.get_path("include")
    packages = VENV / "lib" / Path(include).name.rstrip("m") / "site-packages"
    for export in (VENV / "share").rglob("*Export.cmake"):
        text = export.read_text()
        adopted = re.sub(r"/opt/python/[^/;\"]+/include/python[\d.]+", include, text)
        adopted = re.sub(
            r"/opt/python/[^/;\"]+/lib/python[\d.]+/site-packages", str(packages), adopted
        )
        if adopted != text:
            # Not in place: the file may be a hard link into the installer's cache.
            export.unlink()
            export.write_text(adopted)


if __name__ == "__main__":
    try:
        main(sys.argv[1:])
    except KeyboardInterrupt:
        print("\nsetup: interrupted; run it again to set up", file=sys.stderr)
        sys.exit(130)
