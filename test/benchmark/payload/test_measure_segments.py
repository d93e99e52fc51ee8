import numpy as np
import pytest
import trimesh

from autourdf_ros.benchmark.payload.measure_segments import measure_segments
from autourdf_ros.benchmark.payload.payload_case import PayloadCase
from autourdf_ros.benchmark.payload.segment_table import segment_table

_HEADER = """ply
format ascii 1.0
element vertex {count}
property float x
property float y
property float z
property float red
property float green
property float blue
property uchar segmentation
end_header
"""


@pytest.fixture(scope="module")
def tool(tmp_path_factory):
    """A red head across a blue handle."""
    folder = tmp_path_factory.mktemp("tool")
    head = trimesh.creation.box((0.04, 0.1, 0.04)).apply_translation([0.1, 0, 0])
    handle = trimesh.creation.box((0.2, 0.02, 0.02))
    mesh = trimesh.boolean.union([head, handle], engine="manifold")
    mesh.export(folder / "mesh.ply")
    points = trimesh.sample.sample_surface(mesh, 600, seed=0)[0]
    in_head = points[:, 0] > 0.0799
    colours = np.where(in_head[:, None], [1.0, 0, 0], [0, 0, 1.0])
    rows = [
        " ".join(f"{number:.6f}" for number in (*point, *colour)) + f" {int(part)}"
        for point, colour, part in zip(points, colours, in_head, strict=True)
    ]
    text = _HEADER.format(count=len(rows)) + "\n".join(rows) + "\n"
    (folder / "cloud.ply").write_text(text)
    return folder


@pytest.mark.slow
def test_a_head_and_a_handle_are_found(tool):
    row = measure_segments(PayloadCase("tool", tool, "parts"))
    assert row["true_parts"] == 2
    assert row["segments"]["true"]["parts"] == 2
    assert row["segments"]["true"]["adjusted_rand"] > 0.5
    assert row["segments"]["own"]["leakage"] < 0.1
    assert row["volume"] == pytest.approx(1, abs=0.1)
    assert row["hausdorff"] < 50


def test_the_table_has_a_line_for_each_number_of_parts():
    errors = {
        "parts": 2,
        "leakage": 0.1,
        "global_consistency": 0.2,
        "adjusted_rand": 0.5,
        "undersegmentation": 3.0,
    }
    row = {
        "name": "hammer",
        "method": "parts",
        "segments": {"own": errors, "true": errors},
        "true_parts": 2,
        "volume": 1.01,
        "shape_geodesic": 0.02,
        "hausdorff": 9.0,
        "seconds": 0.5,
        "shape_seconds": 1.0,
    }
    lines = segment_table([row])
    assert sum("hammer" in line or "all 1" in line for line in lines) == 2
    assert segment_table([]) == []
