"""A manager configures, activates and deactivates the reconstruction node over DDS."""

from autourdf_msgs.action import Reconstruct
from goal_client import GoalClient
from lifecycle_client import LifecycleClient
from live import LATCHED, node_process, observer, trigger
from std_msgs.msg import String
from std_srvs.srv import Trigger
from synthetic_robot import moving_recording, write_recording


def test_a_deactivation_cancels_what_runs(tmp_path):
    recording = write_recording(moving_recording(), tmp_path / "recordings" / "robot_0001")
    results = tmp_path / "results"
    given = {"use_lifecycle_manager": True, "output": results}
    with node_process("reconstruction_node", parameters=given) as process, observer() as watching:
        lifecycle = LifecycleClient(watching.node, "reconstruction", watching.until)
        start = watching.node.create_client(Trigger, "/reconstruction/start")
        captured = watching.node.create_publisher(String, "/capture/completed", LATCHED)
        captured.publish(String(data=str(recording)))

        lifecycle.to("configure")
        for _ in range(2):
            watching.status("reconstruction", "inactive: transition activate is missing")
        answer = trigger(start, watching.until, "already")
        assert not answer.success and "transition activate is missing" in answer.message
        goals = GoalClient(
            watching.node, Reconstruct, "/reconstruction/reconstruct", watching.until
        )
        assert not goals.send(recording=str(recording)).accepted

        # What has completed meanwhile is reconstructed now.
        lifecycle.to("activate")
        working = watching.until(
            lambda: next((one for one in watching.diagnostics if progress(one)), None)
        )
        assert {one.key: one.value for one in working.values}["recording"] == str(recording)

        lifecycle.to("deactivate")
        assert lifecycle.state() == "inactive"
        watching.status("reconstruction", "inactive: transition activate is missing")
        status = watching.status("reconstruction", "inactive: transition activate is missing")
        assert not progress(status) and not watching.completed
        assert not [path for path in results.glob("*") if path.is_dir()]

        # It begins again when it is asked to.
        lifecycle.to("activate")
        answer = trigger(start, watching.until, "already")
        assert answer.success and answer.message == f"reconstructing {recording}"
        lifecycle.to("shutdown")
        assert process.wait(30) == 0


def progress(status):
    return status.name == "reconstruction" and "progress" in {one.key for one in status.values}
