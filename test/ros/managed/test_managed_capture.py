"""A manager configures, activates and deactivates the capture node over DDS."""

import time

import pytest
from autourdf_msgs.action import Capture
from capture_rig import LIMITS, assert_silent
from goal_client import DISCOVERY, GoalClient
from lifecycle_client import LifecycleClient
from live import call
from rcl_interfaces.msg import Parameter, ParameterType, ParameterValue
from rcl_interfaces.srv import SetParameters

MANAGED = {"use_lifecycle_manager": True}
SLOW = {"speed": 0.02}  # so that it is still on its way when it is stopped


@pytest.fixture
def managed(cell, robot):
    """Start the node as a process; what drives its lifecycle."""

    def start(**changes):
        cell.start_capture_process(**MANAGED | changes)
        return LifecycleClient(cell.node, "capture", cell.until)

    return start


def starts(cell):
    """How many nodes offer ~/start; one that was killed is counted for 20 s more."""
    return cell.node.count_services("/capture/start")


def test_nothing_acts_before_it_is_active(cell, robot, managed):
    before = starts(cell)
    lifecycle = managed(autostart=True)
    assert lifecycle.state() == "unconfigured"
    time.sleep(DISCOVERY)
    assert starts(cell) <= before
    assert not lifecycle.change("activate")

    lifecycle.to("configure")
    cell.until_said("inactive: transition activate is missing (ros2 lifecycle set /capture")
    for name in ("start", "home", "resume_recording", "resume", "record_background"):
        assert not cell.call(name).success
        assert "inactive: transition activate is missing" in cell.answer, name
    client = GoalClient(cell.node, Capture, "/capture/capture", cell.until)
    assert not client.send().accepted
    assert_silent(robot, 2.0)
    assert robot.commands == [] and cell.recordings() == []

    lifecycle.to("activate")
    assert lifecycle.state() == "active"
    cell.until(lambda: robot.commands)  # by autostart


@pytest.mark.parametrize(
    "interface", ["joint_trajectory", "follow_joint_trajectory", "forward_position"]
)
def test_a_deactivation_stops_the_robot_before_it_answers(cell, robot, managed, interface):
    lifecycle = managed(command_interface=interface, **SLOW)
    lifecycle.to("configure", "activate")
    cell.start()
    cell.until(lambda: robot.commands)
    time.sleep(1.0)  # under way
    assert not robot.stood
    asked = time.monotonic()
    lifecycle.to("deactivate")
    answered = time.monotonic()
    time.sleep(0.2)  # what the robot prints comes a little later
    last = len(robot.commands)
    assert robot.heard[-1] < answered + 0.1  # not a word after the answer
    if interface != "forward_position":  # of which the robot does not say when it stands
        assert last == 2 and robot.stood[-1] < answered + 0.2
        held, stood = robot.heard[1] - asked, robot.stood[-1] - asked
        print(f"FAULT {interface}: {held:.2f} s to the command that holds, {stood:.2f} s to rest")
    assert lifecycle.state() == "inactive"
    assert not cell.call("start").success and "activate is missing" in cell.answer
    assert_silent(robot)
    (recording,) = cell.recordings()

    lifecycle.to("activate")
    time.sleep(0.5)
    assert len(robot.commands) == last  # it does not resume by itself
    assert cell.call("resume_recording").success, cell.answer
    assert str(recording) in cell.answer
    cell.until(lambda: len(robot.commands) > last)


def set_parameter(cell, name, value):
    client = cell.node.create_client(SetParameters, "/capture/set_parameters")
    request = SetParameters.Request(parameters=[Parameter(name=name, value=value)])
    (result,) = call(client, request, cell.until).results
    return result.reason if not result.successful else ""


def test_a_failed_configuration_says_why_and_may_be_tried_again(cell, robot, managed):
    before, viewers = starts(cell), cell.node.count_subscribers("/camera_0/points")
    lifecycle = managed(allow_motion=False, cameras=["/camera_0/points"], excitation="wild")
    assert not lifecycle.change("configure")
    assert lifecycle.state() == "unconfigured"
    time.sleep(DISCOVERY)
    assert starts(cell) <= before
    random = ParameterValue(type=ParameterType.PARAMETER_STRING, string_value="random")
    # The log says which parameter it is.
    assert set_parameter(cell, "excitation", random) == ""
    lifecycle.to("configure", "activate")
    # It counts no longer.
    assert "read-only" in set_parameter(cell, "excitation", random)
    cell.until(lambda: cell.call("start").success)
    assert "nothing moves" in cell.answer and robot.commands == []

    # A cleanup leaves nothing, and another configuration begins from the same parameters.
    lifecycle.to("deactivate", "cleanup")
    cell.until(lambda: starts(cell) <= before)
    assert cell.node.count_subscribers("/camera_0/points") <= viewers
    lifecycle.to("configure", "activate")
    cell.until(lambda: cell.call("start").success)

    lifecycle.to("shutdown")
    assert cell.process.wait(30) == 0
    assert (
        "cannot configure: /capture: parameter excitation is 'wild'" in cell.process.stdout.read()
    )


def test_nobody_allows_motion_over_the_network(cell, robot, managed):
    yes = ParameterValue(type=ParameterType.PARAMETER_BOOL, bool_value=True)
    managed(allow_motion=False).state()
    assert "only who starts the node" in set_parameter(cell, "allow_motion", yes)


def test_who_lets_it_move_gives_all_its_parameters(cell, robot, managed):
    fast = ParameterValue(type=ParameterType.PARAMETER_DOUBLE, double_value=9.0)
    managed(pan=LIMITS).state()
    assert "only who starts the node" in set_parameter(cell, "pan.velocity", fast)


def test_an_interrupt_ends_it_in_every_state(cell, robot, managed):
    for transitions in ((), ("configure",), ("configure", "activate")):
        lifecycle = managed(**SLOW)
        assert lifecycle.state() == "unconfigured"
        lifecycle.to(*transitions)
        if len(transitions) > 1:
            cell.start()
            cell.until(lambda: len(robot.commands) == 1)
        cell.process.terminate()
        assert cell.process.wait(60) == 0
    assert len(robot.commands) == 2 and robot.stood


def test_an_interrupt_during_a_deactivation_ends_it(cell, robot, managed):
    lifecycle = managed(**SLOW)
    lifecycle.to("configure", "activate")
    cell.start()
    cell.until(lambda: len(robot.commands) == 1)
    time.sleep(1.0)  # under way
    lifecycle.begin("deactivate")
    cell.until(lambda: len(robot.commands) == 2)
    cell.process.terminate()
    assert cell.process.wait(60) == 0
    assert len(robot.commands) == 2 and robot.stood
