"""The nodes on two hosts: the robot's cell captures, a server reconstructs, over a bad link.

`sudo .venv/bin/python studies/hosts_study.py OUT --robot so101 --loss 0.02 --delay 0.05 --cut 10`.
The hosts are network namespaces of this machine with a link that loses and delays frames, and is
cut for some seconds while the robot is captured. They share the
files: the reconstruction gets the path of the recording over the link, and the recording by the
file system. The cell and the capture are on the one host; reconstruction, publisher and observers
on the other.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import threading
import time
from collections.abc import Mapping, Sequence
from pathlib import Path

from hosts.lossy_link import LossyLink

from autourdf_ros.data.load import load_recording
from autourdf_ros.demo.graph import start_nodes
from autourdf_ros.demo.parameters import TRUTH, DemoOptions
from autourdf_ros.demo.processes import ProcessGroups
from autourdf_ros.demo.run import new_folder
from autourdf_ros.demo.running_demo import RunningDemo, compare, observable_of
from autourdf_ros.demo.terminal import Terminal
from autourdf_ros.errors import AutourdfError
from autourdf_ros.model.urdf.robot_library import find_urdf
from autourdf_ros.model.urdf.simulated_robot import SimulatedRobot

ON_ROBOT = ("sim_cell", "capture")


class HostProcesses(ProcessGroups):
    """Processes that run on one of two hosts, by their names."""

    def __init__(self, logs: Path, environment: Mapping[str, str], hosts: Sequence[str]) -> None:
        super().__init__(logs, environment)
        self._hosts = hosts

    def start(
        self, name: str, command: Sequence[str], output: int | None = None
    ) -> subprocess.Popen[bytes]:
        """Start a process on its host."""
        host = self._hosts[0 if name in ON_ROBOT else 1]
        return super().start(name, ["/usr/sbin/ip", "netns", "exec", host, *command], output)


def main() -> int:
    """Run the chain and print what came of it."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("out", type=Path)
    parser.add_argument("--robot", default="so101")
    parser.add_argument("--sequences", type=int, default=2)
    parser.add_argument("--loss", type=float, default=0.02)
    parser.add_argument("--delay", type=float, default=0.05, help="s, one way")
    parser.add_argument("--cut", type=float, default=10.0, help="s")
    parser.add_argument("--seed", type=int, default=0)
    args = parser.parse_args()
    options = DemoOptions(robot=args.robot, seed=args.seed, sequences=args.sequences)
    out = new_folder(args.out)
    environment = {
        **os.environ,
        "ROS_DOMAIN_ID": "77",
        "ROS_AUTOMATIC_DISCOVERY_RANGE": "SUBNET",
        "FASTDDS_BUILTIN_TRANSPORTS": "UDPv4",  # the hosts share no memory
        "ROS_LOG_DIR": str(out / "logs" / "ros"),
        "PYTHONUNBUFFERED": "1",
    }
    with LossyLink(args.loss, args.delay, args.seed) as link:
        with HostProcesses(out / "logs", environment, link.hosts) as processes:
            running = RunningDemo(out, processes, Terminal(sys.stderr))
            robot = SimulatedRobot(find_urdf(options.robot))
            begun = time.monotonic()
            start_nodes(options, robot, out, processes, running)
            cut = threading.Thread(target=_cut, args=(out, link, args.cut), daemon=True)
            cut.start()
            found = {
                "asked for": options.sequences * options.frames,
                **_result(running, out, begun),
            }
        found |= {"frames moved": link.moved, "lost": link.lost, "lost in cuts": link.cut}
    print(json.dumps(found, indent=1))
    return 0


def _result(running: RunningDemo, out: Path, begun: float) -> dict[str, object]:
    """What came of the chain: figures, or the fault that ended it."""
    try:
        recording = running.completed("capture")
        captured = time.monotonic() - begun
        model = running.completed("reconstruction")
        reconstructed = time.monotonic() - begun
    except AutourdfError as error:
        return {"fault": str(error)}
    estimate, evaluation = compare(model, out / TRUTH, observable_of(out / TRUTH, recording))
    return {
        "recorded frames": len(load_recording(recording).frames),
        "capture reported after, s": round(captured, 1),
        "model reported after, s": round(reconstructed, 1),
        "verdict": estimate.report["verdict"],
        "joints found": len(evaluation.joints),
    }


def _cut(out: Path, link: LossyLink, seconds: float) -> None:
    """Cut the link once the recording has begun."""
    while not any((out / "recordings").glob("**/*.mcap")):
        time.sleep(0.1)
    time.sleep(5.0)
    link.cut_for(seconds)


if __name__ == "__main__":
    sys.exit(main())
