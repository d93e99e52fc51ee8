"""A manager configures, activates and deactivates the publisher over DDS."""

from lifecycle_client import LifecycleClient
from live import node_process, observer
from sample_results import write_small_arm


def test_the_model_is_there_only_while_it_is_active(tmp_path):
    arm = write_small_arm(tmp_path / "arm")
    given = {"use_lifecycle_manager": True, "result": arm, "parent_frame": "world"}
    topics = ("/robot_description", "/tf", "/tf_static", "/publisher/markers")
    with node_process("publisher_node", parameters=given) as process, observer() as watching:
        lifecycle = LifecycleClient(watching.node, "publisher", watching.until)

        def nothing_is_published():
            return not any(map(watching.node.count_publishers, topics))

        assert lifecycle.state() == "unconfigured"
        lifecycle.to("configure")
        watching.status("publisher", "inactive: transition activate is missing")
        assert nothing_is_published() and not watching.transforms and not watching.descriptions

        for _ in range(2):
            lifecycle.to("activate")
            watching.until(lambda: watching.transforms and watching.static)
            watching.until(lambda: watching.descriptions)
            watching.status("publisher", "at reference")
            lifecycle.to("deactivate")
            watching.until(nothing_is_published)
            watching.status("publisher", "inactive: transition activate is missing")
            watching.status("publisher", "inactive: transition activate is missing")
            watching.transforms.clear()
            watching.static.clear()
            watching.descriptions.clear()
            watching.status("publisher", "inactive: transition activate is missing")
            assert not watching.transforms and not watching.static and not watching.descriptions
        lifecycle.to("shutdown")
        assert process.wait(30) == 0


def test_a_first_result_that_cannot_be_used_fails_the_configuration(tmp_path):
    given = {"use_lifecycle_manager": True, "result": tmp_path / "arm"}
    with node_process("publisher_node", parameters=given) as process, observer() as watching:
        lifecycle = LifecycleClient(watching.node, "publisher", watching.until)
        assert not lifecycle.change("configure") and lifecycle.state() == "unconfigured"
        write_small_arm(tmp_path / "arm")
        lifecycle.to("configure", "activate")
        watching.until(lambda: watching.descriptions)
        lifecycle.to("shutdown")
        said = process.stdout.read()
    assert f"cannot configure: {tmp_path / 'arm'}: is no result folder" in said
