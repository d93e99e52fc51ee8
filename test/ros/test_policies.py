"""The SROS 2 policies allow what the nodes' code creates, and nothing else."""

import ast
from collections import defaultdict
from pathlib import Path

import pytest

from autourdf_ros.files.xml_reading import read_xml

ROOT = Path(__file__).parents[2]
NODES = ROOT / "autourdf_ros" / "ros"
POLICIES = read_xml(ROOT / "sros2" / "policies.xml")
COMMANDS = {
    "/joint_trajectory_controller/joint_trajectory",
    "/forward_position_controller/commands",
    "/joint_trajectory_controller/follow_joint_trajectory",
}
EFFORTS = "/effort_controller/commands"
# Of every node of rclpy.
COMMON = {
    "subscribe": {"/clock"},
    "publish": {"/rosout", "/parameter_events"},
    "reply": {
        *("~/describe_parameters", "~/get_parameter_types", "~/get_parameters"),
        *("~/list_parameters", "~/set_parameters", "~/set_parameters_atomically"),
        "~/get_type_description",
    },
}
# Of every managed node: rclpy makes them.
LIFECYCLE = {
    "publish": {"~/transition_event"},
    "reply": {
        *("~/change_state", "~/get_state", "~/get_available_states"),
        *("~/get_available_transitions", "~/get_transition_graph"),
    },
}
MOVING = ("robot_cell", "cameras", "camera", "commander", "follow_commander", "controller_activity")
# By enclave, each of which has one profile.
MODULES = {
    "capture": (
        *("capture_node", "capture_requests", "diagnostics", "dry_run", "color_cameras"),
        "managed_node",
        *MOVING,
    ),
    "identification": (
        *("identification_node", "wrench_source", "diagnostics", "dry_run"),
        *(module for module in MOVING if module != "camera"),
    ),
    "reconstruction": ("reconstruction_node", "managed_node", "diagnostics"),
    "publisher": (
        "publisher_node",
        "managed_node",
        "diagnostics",
        "model_topics",
        "model_transforms",
    ),
    "monitor": ("monitor_node", "managed_node", "camera", "diagnostics"),
    "moving_monitor": (
        *("monitor_node", "managed_node", "monitor_motion", "diagnostics"),
        *MOVING,
    ),
    "rendering": (
        *("rendering_node", "camera_source", "joint_source", "waiting_messages", "diagnostics"),
    ),
    "sliders": ("slider_node", "diagnostics"),
    "swing_up": ("swing_up_node", "diagnostics"),
    "mechanism_cell": ("mechanism_cell_node", "diagnostics"),
    "sim_cell": ("sim_cell_node", "diagnostics", "follow_server", "wrist_topic", "image_topics"),
}
# Names that are parameters, at their defaults.
DEFAULTS = {
    ("commander", "topic"): COMMANDS - {"/joint_trajectory_controller/follow_joint_trajectory"},
    ("swing_up_node", "given.command_topic"): {"/effort_controller/commands"},
    ("swing_up_node", "given.joint_states_topic"): {"/joint_states"},
    ("follow_commander", "name"): {"/joint_trajectory_controller/follow_joint_trajectory"},
    ("camera", "topic"): {"/camera_*/points"},
    ("robot_cell", "joints.topic"): {"joint_states"},
    ("wrench_source", "settings.topic"): {"/force_torque_sensor_broadcaster/wrench"},
    ("reconstruction_node", "begun"): {"/capture/begun"},
    ("reconstruction_node", "captured"): {"/capture/completed"},
    ("monitor_node", "settings.joint_states_topic"): {"/joint_states"},
    ("monitor_node", "settings.published_topic"): {"/reconstruction/completed"},
    ("publisher_node", "self._settings.joint_states_topic"): {"/joint_states"},
    ("publisher_node", "self._settings.completed_topic"): {"/reconstruction/completed"},
    ("model_topics", "_SEMANTIC"): {"robot_description_semantic"},
    ("color_cameras", "topic"): {"/camera_*/camera_info", "/camera_*/image"},
    ("joint_source", "topic"): {"/joint_states"},
    ("waiting_messages", "topic"): {
        *("/camera_*/camera_info", "/camera_*/points", "/camera_*/image"),
    },
    ("wrist_topic", "wrist.topic"): {"/force_torque_sensor_broadcaster/wrench"},
    ("slider_node", "joint_states"): {"joint_states"},
    ("slider_node", "description"): {"robot_description"},
}
# What is created, the place of its name among the arguments, and how a policy calls that.
CALLS = {
    "create_publisher": (1, "publish"),
    "create_subscription": (1, "subscribe"),
    "create_service": (1, "reply"),
    "MatchedSubscription": (2, "subscribe"),
    "ActionClient": (2, "call"),
    "ActionServer": (2, "execute"),
    "GoalServer": (2, "execute"),
}
OF_TF2 = {
    "TransformListener": ("subscribe", {"/tf", "/tf_static"}),
    "StaticTransformBroadcaster": ("publish", {"/tf_static"}),
    "TransformBroadcaster": ("publish", {"/tf"}),
}


def created(module):
    """Names by what is done with them, from the code."""
    found = defaultdict(set)
    if module == "managed_node":
        found.update(LIFECYCLE)
    (file,) = NODES.rglob(f"{module}.py")
    for call in ast.walk(ast.parse(file.read_text())):
        if not isinstance(call, ast.Call):
            continue
        function = ast.unparse(call.func).rpartition(".")[2]
        if function in OF_TF2:
            kind, names = OF_TF2[function]
            found[kind] |= names
        elif function in CALLS:
            place, kind = CALLS[function]
            found[kind] |= names_of(module, call.args[place])
    return found


def names_of(module, argument):
    if isinstance(argument, ast.Constant):
        return {argument.value}
    if isinstance(argument, ast.JoinedStr):
        parts = (part.value if isinstance(part, ast.Constant) else "*" for part in argument.values)
        return {"".join(parts)}
    return DEFAULTS[module, ast.unparse(argument)]


def allowed(enclave):
    (profile,) = POLICIES.iterfind(f".//enclave[@path='/{enclave}']//profile")
    found = defaultdict(set)
    for group in profile:
        for kind, value in group.items():
            assert value == "ALLOW"
            found[kind] |= {item.text for item in group}
    return found


@pytest.mark.parametrize("enclave", MODULES)
def test_a_policy_allows_what_its_node_creates_and_nothing_else(enclave):
    expected = defaultdict(set, {kind: set(names) for kind, names in COMMON.items()})
    for module in MODULES[enclave]:
        for kind, names in created(module).items():
            expected[kind] |= names
    assert dict(allowed(enclave)) == dict(expected)


def test_only_capture_identification_and_a_monitor_that_is_let_may_command():
    commanding = {
        enclave
        for enclave in MODULES
        if COMMANDS & (allowed(enclave)["publish"] | allowed(enclave)["call"])
    }
    assert commanding == {"capture", "identification", "moving_monitor"}
    forcing = {enclave for enclave in MODULES if EFFORTS in allowed(enclave)["publish"]}
    assert forcing == {"swing_up"}


def test_what_the_monitor_may_more_is_what_moving_needs():
    more = {
        kind: names - allowed("monitor")[kind] for kind, names in allowed("moving_monitor").items()
    }
    assert {kind: names for kind, names in more.items() if names} == {
        "publish": COMMANDS - {"/joint_trajectory_controller/follow_joint_trajectory"},
        "call": {"/joint_trajectory_controller/follow_joint_trajectory"},
        "subscribe": {"joint_states", "/diagnostics"},
        "reply": {"~/stop"},
    }
    assert not any(
        allowed("monitor")[kind] - names for kind, names in allowed("moving_monitor").items()
    )


def test_every_node_has_a_policy():
    names = {
        call.args[0].value
        for file in NODES.rglob("*_node.py")
        for call in ast.walk(ast.parse(file.read_text()))
        if isinstance(call, ast.Call) and ast.unparse(call.func) == "super().__init__" and call.args
    }
    enclaves = {one.get("path") for one in POLICIES.iter("enclave")}
    assert enclaves == {f"/{name}" for name in MODULES}
    assert {profile.get("node") for profile in POLICIES.iter("profile")} == names
