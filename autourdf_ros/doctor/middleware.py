"""Checks of ROS 2, each in processes of its own: this module does not import ROS."""

from __future__ import annotations

import importlib.metadata
import importlib.util
import json
import os

from autourdf_ros.doctor.libraries import SET_UP
from autourdf_ros.doctor.machine_finding import Finding, bad, good, note
from autourdf_ros.domain import claim_domain
from autourdf_ros.errors import InputError
from autourdf_ros.subprocesses import CheckError, python_beside, run_python

PROBE = ["-m", "autourdf_ros.ros.observers.doctor_probe"]
PACKAGES = (
    "rclpy",
    "sensor_msgs",
    "sensor_msgs_py",
    "trajectory_msgs",
    "diagnostic_msgs",
    "std_srvs",
    "control_msgs",
    "tf2_msgs",
    "tf2_ros",
)
SOURCE_ROS = "source /opt/ros/<distribution>/setup.bash, or " + SET_UP


def check_ros() -> Finding:
    """Check which ROS 2 is used: a sourced distribution or the wheels."""
    try:
        run_python(["-c", "import rclpy"], timeout=60)
    except CheckError as error:
        return bad("ROS 2", f"rclpy: {error}", SOURCE_ROS)
    wheels = _wheels()
    if wheels:
        return good("ROS 2", f"{wheels} from wheels (unofficial builds, for trials and tests)")
    return good("ROS 2", f"distribution {os.environ.get('ROS_DISTRO', 'of unknown name')}")


def _wheels() -> str:
    """Name and version of the ROS wheels that are installed, or an empty text."""
    for distribution in importlib.metadata.distributions():
        name = distribution.metadata["Name"] or ""
        if name.startswith("ros-") and name.endswith("-rclpy") and name != "ros-rclpy":
            return f"{name.split('-')[1].capitalize()} (rclpy {distribution.version})"
    return ""


def check_packages() -> Finding:
    """Check whether all ROS packages of the nodes are there, and which are stand-ins."""
    missing = [name for name in PACKAGES if importlib.util.find_spec(name) is None]
    if missing:
        debian = " ".join(_debian_name(name) for name in missing)
        return bad(
            "ROS packages", f"missing: {', '.join(missing)}", f"{SET_UP}, or install {debian}"
        )
    stand_ins = [name for name in PACKAGES if _is_stand_in(name)]
    ours = f", of which stand-ins: {', '.join(stand_ins)}" if stand_ins else ""
    return good("ROS packages", f"{len(PACKAGES)} of {len(PACKAGES)}{ours}")


def _is_stand_in(name: str) -> bool:
    try:
        return importlib.metadata.version(name).endswith("+autourdf")
    except importlib.metadata.PackageNotFoundError:
        return False


def _debian_name(name: str) -> str:
    package = "tf2-ros-py" if name == "tf2_ros" else name.replace("_", "-")
    return f"ros-{os.environ.get('ROS_DISTRO', '<distribution>')}-{package}"


def check_round_trip() -> Finding:
    """Send a depth camera's cloud to another process and back, on a domain of its own."""
    try:
        domain, held = claim_domain()
        environment = {
            "ROS_DOMAIN_ID": str(domain),
            "ROS_AUTOMATIC_DISCOVERY_RANGE": "LOCALHOST",
        }
        with held, python_beside([*PROBE, "echo"], environment):
            answer = json.loads(run_python([*PROBE, "round-trip"], 40, environment))
    except (CheckError, InputError) as error:
        return bad(
            "DDS",
            f"a cloud sent to another process did not come back: {error}",
            "check that /dev/shm has free space, that no firewall blocks UDP on the loopback "
            "interface, and that RMW_IMPLEMENTATION, FASTDDS_DEFAULT_PROFILES_FILE and "
            "FASTRTPS_DEFAULT_PROFILES_FILE (its name until Jazzy) are unset",
        )
    return good(
        "DDS",
        f"{answer['megabytes']:.1f} MB there and back in {answer['seconds'] * 1e3:.0f} ms "
        f"({answer['implementation']})",
    )


def check_topics() -> Finding:
    """Check which topics there are on the user's own domain."""
    domain = os.environ.get("ROS_DOMAIN_ID", "0")
    reach = os.environ.get("ROS_AUTOMATIC_DISCOVERY_RANGE", "SUBNET")
    subject = f"Topics on domain {domain} ({reach})"
    try:
        topics: dict[str, str] = json.loads(run_python([*PROBE, "topics"], timeout=40))
    except CheckError as error:
        return bad(subject, str(error), f"set ROS_DOMAIN_ID (now {domain}) to 0 … 101")
    if not topics:
        return note(
            subject,
            "none",
            "fine for the demo; for a real cell start its drivers and use their ROS_DOMAIN_ID",
        )
    clouds = sorted(name for name, kind in topics.items() if kind == "sensor_msgs/msg/PointCloud2")
    joints = sorted(name for name, kind in topics.items() if kind == "sensor_msgs/msg/JointState")
    detail = f"{len(topics)}; point clouds: {_listed(clouds)}; joint states: {_listed(joints)}"
    return good(subject, detail)


def _listed(names: list[str]) -> str:
    return ", ".join(names) if names else "none"
