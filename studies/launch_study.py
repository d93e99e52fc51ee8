"""Lets launches fail on purpose, and counts what is left of them.

`.venv/bin/python studies/launch_study.py --setup SETUP_BASH [--load 2] [--demos 0] [--whole DEMO]
[--cart-pole OUT VIDEO] [-o FILE]`.
SETUP_BASH is what a shell sources to have the genuine `ros2 launch` and this package installed, as
install/setup.bash of a workspace. Each case states what must happen. Processes are those with this
study's variable in their environment, so that none is missed, whoever its parent is now.

Cases: what is not installed, wrong parameters, launches that are killed (SIGKILL, SIGTERM, SIGHUP)
at several moments, nodes that are killed; a robot that moves when its launch is killed (the time
from the kill to the next command, which is the halt); with --whole, launches that are right, of
the robot of a demo's folder, three times each, ended by SIGINT as Ctrl-C does; with --demos, whole
demos.
"""

from __future__ import annotations

import argparse
import contextlib
import json
import os
import select
import signal
import subprocess
import sys
import tempfile
import time
import uuid
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import yaml

ROOT = Path(__file__).resolve().parents[1]
SUPPORT = ROOT / "test" / "support" / "ros"
MARK = "AUTOURDF_LAUNCH_STUDY"
WHOLE = 5.0  # s after which all nodes of a launch run
GRACE = 15.0  # s within which everything must have ended
LIMITS = {"lower": -1.0, "upper": 1.0, "velocity": 2.0, "acceleration": 8.0}
CELL = {"joints": ["pan", "tilt"], "pan": LIMITS, "tilt": dict(LIMITS)}  # rcl reads no alias


@dataclass(frozen=True)
class Case:
    """A launch that fails. kill: a signal and what it is sent to, `after` seconds."""

    name: str
    arguments: tuple[str, ...]
    kill: signal.Signals | None = None
    target: str = "launch"
    after: float = 0.0


class Study:
    """Starts launches in an environment, and finds what is left of them."""

    def __init__(self, setup: Path, folder: Path) -> None:
        shell = f". {setup} >/dev/null && exec env -0"
        text = subprocess.run(["bash", "-c", shell], capture_output=True, text=True, check=True)
        self.environment = dict(
            entry.split("=", 1) for entry in text.stdout.split("\0") if "=" in entry
        )
        self.mark = uuid.uuid4().hex
        self.environment |= {
            MARK: self.mark,
            "ROS_DOMAIN_ID": str(40 + os.getpid() % 50),
            "ROS_AUTOMATIC_DISCOVERY_RANGE": "LOCALHOST",
            "ROS_LOG_DIR": str(folder / "logs"),
            "PYTHONUNBUFFERED": "1",
        }
        self.folder = folder

    def ros2(self, *arguments: str, log: Path) -> subprocess.Popen[bytes]:
        """Start the genuine command, in a session of its own as a terminal would."""
        with log.open("ab") as file:
            return subprocess.Popen(
                ["ros2", *arguments],
                executable=self._executable(),
                env=self.environment,
                cwd=self.folder,
                stdout=file,
                stderr=file,
                stdin=subprocess.DEVNULL,
                start_new_session=True,
            )

    def _executable(self) -> str:
        for folder in self.environment["PATH"].split(":"):
            if (Path(folder) / "ros2").is_file():
                return str(Path(folder) / "ros2")
        raise SystemExit("the environment has no ros2")

    def left(self) -> dict[int, str]:
        """Return command lines of the processes that any launch of this study began."""
        found = {}
        for entry in Path("/proc").glob("[0-9]*"):
            with contextlib.suppress(OSError):
                if f"{MARK}={self.mark}".encode() in (entry / "environ").read_bytes().split(b"\0"):
                    words = (entry / "cmdline").read_bytes().split(b"\0")
                    found[int(entry.name)] = b" ".join(words).decode(errors="replace")[:200]
        return found

    def wait_until_gone(self) -> tuple[float, dict[int, str]]:
        """Return the seconds until nothing is left, and what is after the grace."""
        began = time.monotonic()
        while (left := self.left()) and time.monotonic() < began + GRACE:
            time.sleep(0.05)
        return time.monotonic() - began, left


def cases(folder: Path) -> list[Case]:
    """Return twenty launches that fail."""
    limits, bad, own = folder / "limits.yaml", folder / "bad.yaml", folder / "own.yaml"
    limits.write_text(yaml.safe_dump({"/**": {"ros__parameters": CELL}}))
    wrong = CELL | {"pan": LIMITS | {"velocity": -1.0}}
    bad.write_text(yaml.safe_dump({"/**": {"ros__parameters": wrong}}))
    own.write_text(yaml.safe_dump({"/**/capture": {"ros__parameters": {"framse": 3}}}))
    file, demo = ("self_model.launch.py", f"limits:={limits}"), ("demo.launch.py",)
    cell = (*file, "cameras:=[/camera_0/points]", "allow_motion:=true")
    kill = signal.SIGKILL
    return [
        Case("no RViz, capture", (*cell, "rviz:=true")),
        Case("no RViz, demo", (*demo, "rviz:=true")),
        Case("no RViz, display", ("display.launch.py", f"model:={folder}", "sliders:=sweep")),
        Case("wrong limits", (file[0], f"limits:={bad}")),
        Case("unknown parameter", (*cell, f"params_file:={own}")),
        Case("no number", (*demo, "frames:=many")),
        Case("no limits file", (file[0], "limits:=no.yaml")),
        *(Case(f"launch killed at {at} s", cell, kill, after=at) for at in (0.5, 1.0, 2.0, 5.0)),
        *(Case(f"demo's launch killed at {at} s", demo, kill, after=at) for at in (4.0, 15.0)),
        Case("launch ended by SIGTERM", cell, signal.SIGTERM, after=5.0),
        Case("launch ended by SIGHUP", cell, signal.SIGHUP, after=5.0),
        Case("capture killed", cell, kill, "capture_node", 5.0),
        Case("reconstruction killed", cell, kill, "reconstruction_node", 5.0),
        Case("publisher killed", cell, kill, "publisher_node", 5.0),
        Case("simulated cell killed", demo, kill, "sim_cell_node", 12.0),
        Case("follower killed", demo, kill, "demo_follower", 12.0),
    ]


def right(demo_folder: Path, mechanism: tuple[Path, Path] | None) -> list[Case]:
    """Return launches that run until they are interrupted, three times each.

    Args:
        demo_folder: of a demo, whose robot and model are launched.
        mechanism: the model of a cart-pole, and the folder of the video that it comes from.
    """
    limits = demo_folder / "parameters" / "limits.yaml"
    model = next((demo_folder / "results").glob("*/robot.urdf")).parent
    cameras, known = "cameras:=[/camera_0/points]", (f"model:={model}",)
    launches: dict[str, tuple[str, ...]] = {
        "self_model": (f"limits:={limits}", cameras, "allow_motion:=true"),
        "monitor": (f"result:={model}", cameras),
        "identification": (*known, f"limits:={limits}", "allow_motion:=true"),
        "rendering": known,
        "display": (*known, "sliders:=sweep", "rviz:=false"),
    }
    if mechanism is not None:
        out, video = mechanism
        launches["cart_pole"] = (f"model:={out}", f"mjcf:={video / 'driven_cart_pole.xml'}")
    return [
        Case(f"{name}, right", (f"{name}.launch.py", *arguments), after=WHOLE)
        for name, arguments in launches.items()
        for _ in range(3)
    ]


def interrupt(study: Study, case: Case) -> dict[str, object]:
    """Run one launch that is right, interrupt it, and return how it ended."""
    launch = study.ros2("launch", "autourdf_ros", *case.arguments, log=study.folder / "right.log")
    began = time.monotonic()
    while launch.poll() is None and time.monotonic() < began + case.after * 2:
        time.sleep(0.1)
    before, lived = len(study.left()), launch.poll() is None
    with contextlib.suppress(ProcessLookupError):
        os.kill(launch.pid, signal.SIGINT)
    code = launch.wait(60)
    seconds, left = study.wait_until_gone()
    return {
        "case": case.name,
        "processes before": before,
        "exit code": code,
        "gone after (s)": round(seconds, 2),
        "left": list(left.values()),
        "right": lived and code == 0 and not left,
    }


def fail(study: Study, case: Case) -> dict[str, object]:
    """Run one case, and return how it ended."""
    log, before = study.folder / f"{case.name}.log", 0
    launch = study.ros2("launch", "autourdf_ros", *case.arguments, log=log)
    if case.kill is not None:
        time.sleep(case.after)
        before = len(study.left())
        found = [launch.pid]
        if case.target != "launch":
            found = [number for number, line in study.left().items() if case.target in line]
        for number in found:
            with contextlib.suppress(ProcessLookupError):
                os.kill(number, case.kill)
    try:
        code: int | None = launch.wait(60)
    except subprocess.TimeoutExpired:
        code = None
    seconds, left = study.wait_until_gone()
    for number in left:
        os.kill(number, signal.SIGKILL)
    # What is killed after seconds must have been whole: the launch with its three nodes.
    failed = code not in (0, None) and (case.after < WHOLE or before >= 4)
    return {
        "case": case.name,
        "processes before": before,
        "exit code": code,
        "gone after (s)": round(seconds, 2),
        "left": list(left.values()),
        "right": failed and not left,
    }


@contextlib.contextmanager
def busy(count: int) -> Iterator[None]:
    """Keep that many cores busy."""
    programs = [subprocess.Popen([sys.executable, "-c", "while True: pass"]) for _ in range(count)]
    try:
        yield
    finally:
        for program in programs:
            program.kill()
            program.wait()


def killed_while_moving(study: Study) -> dict[str, object]:
    """Kill a launch whose robot moves; return the time until the robot is commanded to halt (s)."""
    log = study.folder / "moving.log"
    environment = {name: text for name, text in study.environment.items() if name != MARK}
    environment["PYTHONPATH"] = f"{ROOT}:{environment.get('PYTHONPATH', '')}"
    robot = subprocess.Popen(
        [sys.executable, str(SUPPORT / "fake_robot.py")],
        env=environment,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    try:
        arguments = (f"limits:={study.folder / 'limits.yaml'}", "cameras:=[/camera_0/points]")
        slow = study.folder / "slow.yaml"
        values = {"speed": 0.02, "autostart": True}
        slow.write_text(yaml.safe_dump({"/**/capture": {"ros__parameters": values}}))
        given = ("allow_motion:=true", f"params_file:={slow}")
        file = "self_model.launch.py"
        launch = study.ros2("launch", "autourdf_ros", file, *arguments, *given, log=log)
        if _next_command(robot, launch) is None:
            print(log.read_text(errors="replace")[-1000:], file=sys.stderr)
            os.killpg(launch.pid, signal.SIGINT)  # the next one must be alone
            launch.wait()
            _, left = study.wait_until_gone()
            return {"halted after (s)": None, "right": False, "left": list(left.values())}
        time.sleep(0.5)
        os.kill(launch.pid, signal.SIGKILL)
        began = time.monotonic()
        goal = _next_command(robot, None)
        halted = time.monotonic() - began
        launch.wait()
        _, left = study.wait_until_gone()
        return {
            "halted after (s)": round(halted, 3),
            "right": goal is not None and halted < 0.5,
            "left": list(left.values()),
        }
    finally:
        robot.kill()
        robot.wait()


def _next_command(
    robot: subprocess.Popen[str], launch: subprocess.Popen[bytes] | None
) -> str | None:
    """Return the next command that the robot gets; None where the launch ends before, or none."""
    assert robot.stdout is not None
    end = time.monotonic() + 120.0
    while time.monotonic() < end and (launch is None or launch.poll() is None):
        if select.select([robot.stdout], [], [], 0.02)[0]:
            line = robot.stdout.readline()
            if line.startswith("command"):
                return line.strip()
    return None


def demo(study: Study, number: int) -> dict[str, object]:
    """Run a whole demo; return its exit code and duration (s)."""
    log = study.folder / f"demo_{number}.log"
    began = time.monotonic()
    launch = study.ros2("launch", "autourdf_ros", "demo.launch.py", log=log)
    code = launch.wait()
    seconds = time.monotonic() - began
    _, left = study.wait_until_gone()
    lines = log.read_text(errors="replace").splitlines()
    said = [line for line in lines if "verdict" in line or "] demo: " in line]
    return {
        "demo": number,
        "exit code": code,
        "seconds": round(seconds, 1),
        "said": said[-1:],
        "left": list(left.values()),
    }


def main() -> None:
    """Run everything, and print one line each."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--setup", type=Path, required=True, help="file that a shell sources")
    parser.add_argument("--load", type=int, default=0, help="busy processes beside it")
    parser.add_argument("--moving", type=int, default=5, help="launches killed while moving")
    parser.add_argument("--whole", type=Path, help="folder of a demo, whose robot is launched")
    parser.add_argument(
        "--cart-pole",
        type=Path,
        nargs=2,
        metavar=("OUT", "VIDEO"),
        help="with --whole: result folder of a driven cart-pole, and the video that it comes from",
    )
    parser.add_argument("--demos", type=int, default=0, help="whole demos")
    parser.add_argument("--only", default="", help="part of the names of cases to run")
    parser.add_argument("-o", "--output", type=Path, help="file of the results, JSON lines")
    given = parser.parse_args()
    signal.signal(signal.SIGHUP, signal.SIG_DFL)  # which `nohup` has all launches ignore
    with tempfile.TemporaryDirectory() as folder, busy(given.load):
        study = Study(given.setup.resolve(), Path(folder))
        results: list[dict[str, object]] = []

        def note(result: dict[str, object]) -> None:
            results.append(result)
            print(json.dumps(result), flush=True)
            if given.output:
                given.output.write_text("".join(json.dumps(row) + "\n" for row in results))

        for case in cases(study.folder):
            if given.only in case.name:
                note(fail(study, case))
        for _ in range(given.moving):
            note(killed_while_moving(study))
        cart_pole = tuple(path.resolve() for path in given.cart_pole) if given.cart_pole else None
        for case in right(given.whole.resolve(), cart_pole) if given.whole else ():
            if given.only in case.name:
                note(interrupt(study, case))
        for number in range(given.demos):
            note(demo(study, number))
    failed = [row for row in results if row.get("right") is False or row["left"]]
    print(f"{len(results)} runs, {len(failed)} not as they should be")


if __name__ == "__main__":
    main()
