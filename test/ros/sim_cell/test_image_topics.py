"""Colour images of the simulated cell, on request."""

import time
from contextlib import contextmanager

import numpy as np
import rclpy
from rclpy.context import Context
from rclpy.executors import SingleThreadedExecutor
from rclpy.parameter import Parameter
from sensor_msgs.msg import CameraInfo, Image, PointCloud2
from toy_robot import write_toy

from autourdf_ros.data.bags.point_cloud2 import points_from_cloud
from autourdf_ros.data.images.image_message import camera_of, pixels_of
from autourdf_ros.domain import claim_domain
from autourdf_ros.ros.sim_cell.sim_cell_node import SimCellNode


@contextmanager
def cell(folder, **parameters):
    """The simulated cell on a domain of its own, and an executor that spins it."""
    write_toy(folder)
    domain, held = claim_domain()
    context = Context()
    rclpy.init(context=context, domain_id=domain)
    given = {"robot": str(folder / "toy.urdf"), "width": 64, "height": 48, "cameras": 1}
    given |= {"start": "neutral", "camera_rate": 10.0} | parameters
    overrides = [Parameter(name, value=value) for name, value in given.items()]
    node = SimCellNode(context=context, parameter_overrides=overrides)
    executor = SingleThreadedExecutor(context=context)
    executor.add_node(node)
    try:
        yield node, executor
    finally:
        node.close()
        executor.shutdown()
        node.destroy_node()
        context.try_shutdown()
        held.close()


def test_images_have_the_colours_of_the_cloud_at_its_stamp_and_a_lens_that_projects_it(tmp_path):
    with cell(tmp_path, images=True) as (node, executor):
        heard = {Image: {}, CameraInfo: {}, PointCloud2: {}}
        for kind, topic in ((Image, "image"), (CameraInfo, "camera_info"), (PointCloud2, "points")):

            def keep(message, kind=kind):
                heard[kind][message.header.stamp.sec, message.header.stamp.nanosec] = message

            node.create_subscription(kind, f"/camera_0/{topic}", keep, 5)
        end = time.monotonic() + 60
        while not (common := set.intersection(*map(set, heard.values()))):
            assert time.monotonic() < end
            executor.spin_once(timeout_sec=0.02)
    stamp = common.pop()
    image, info, cloud = (found[stamp] for found in heard.values())
    points, colors = points_from_cloud(cloud)
    pixels = pixels_of(image)
    assert image.header == info.header == cloud.header
    assert (pixels.reshape(-1, 3) == colors).all() and len(np.unique(colors)) > 5
    seen = np.isfinite(points[:, 2])
    place, _ = camera_of(info, "", np.eye(4), False).project(points[seen].astype(float))
    rows, columns = np.indices((48, 64)).reshape(2, -1)[:, seen]
    np.testing.assert_allclose(place, np.column_stack([columns, rows]), atol=1e-2)


def test_without_request_there_are_no_images(tmp_path):
    with cell(tmp_path) as (node, _):
        names = {name for name, _ in node.get_topic_names_and_types()}
        assert "/camera_0/points" in names
        assert not names & {"/camera_0/image", "/camera_0/camera_info"}
