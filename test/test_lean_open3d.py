"""Open3D starts without what it needs for a browser alone, and still draws there."""

import sys

import pytest

from autourdf_ros.lean_open3d import install
from autourdf_ros.subprocesses import run_python

pytestmark = pytest.mark.slow

SCRIPT = """
import sys, numpy as np, autourdf_ros, open3d as o3d
print("dash" in sys.modules)
cloud = o3d.geometry.PointCloud(o3d.utility.Vector3dVector(np.eye(3)))
for _ in range(2):
    print(len(o3d.visualization.get_plotly_fig([cloud]).data[0].x))
print("dash" in sys.modules)
"""


def test_the_web_server_is_imported_when_it_is_used():
    assert run_python(["-c", SCRIPT], 120).split() == ["False", "3", "3", "True"]


def test_a_process_that_has_open3d_keeps_it(monkeypatch):
    own = object()
    monkeypatch.setitem(sys.modules, "open3d.visualization.draw_plotly", own)
    install()
    assert sys.modules["open3d.visualization.draw_plotly"] is own
