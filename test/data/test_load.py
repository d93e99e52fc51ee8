import logging
from pathlib import Path

import numpy as np
import pytest
import trimesh
from hypothesis import given
from hypothesis import strategies as st

from autourdf_ros.data.cloud_files.frame_folder import natural_key
from autourdf_ros.data.cloud_files.sequence_folder import read_joint_cfg
from autourdf_ros.data.load import load_recording
from autourdf_ros.errors import InputError

POINTS = np.random.default_rng(0).normal(size=(200, 3)).astype(np.float32)
COLORS = np.random.default_rng(0).integers(0, 255, (200, 3)).astype(np.uint8)


def write_ply(file, points=POINTS, colors=None):
    file.parent.mkdir(parents=True, exist_ok=True)
    trimesh.PointCloud(points, colors).export(file)


def write_pcd(file, points=POINTS):
    import open3d

    cloud = open3d.geometry.PointCloud(open3d.utility.Vector3dVector(points))
    open3d.io.write_point_cloud(str(file), cloud)


def write_ply_text(file, rows, count=None, kind="float"):
    count = len(rows) if count is None else count
    axes = "".join(f"property {kind} {axis}\n" for axis in "xyz")
    body = "".join(" ".join(map(str, row)) + "\n" for row in rows)
    file.write_text(f"ply\nformat ascii 1.0\nelement vertex {count}\n{axes}end_header\n{body}")


def test_sequences_with_readings(tmp_path):
    for sequence, frame in [("10", "0"), ("2", "0"), ("2", "1")]:
        write_ply(tmp_path / sequence / frame / "robot.ply", POINTS + float(frame), COLORS)
    (tmp_path / "2" / "1" / "joint_cfg.txt").write_text("pan:0.5\na:b:-1e-3\n\n")
    recording = load_recording(tmp_path)
    assert [(s.name, len(s.frames)) for s in recording.sequences] == [("2", 2), ("10", 1)]
    frame = recording.frames[1]
    assert frame.joint_positions == {"pan": 0.5, "a:b": -0.001}
    assert recording.frames[0].joint_positions is None
    np.testing.assert_allclose(frame.points, POINTS + 1, atol=1e-6)
    np.testing.assert_array_equal(frame.colors, COLORS)


def test_a_folder_of_frames_of_all_formats_in_natural_order(tmp_path):
    write_ply(tmp_path / "frame_1.ply", POINTS, COLORS)
    write_pcd(tmp_path / "frame_2.pcd", POINTS + 2)
    np.savez(
        tmp_path / "frame_10.npz",
        points=POINTS.astype(float) + 10,
        colors=COLORS,
        joint_names=["pan", "tilt"],
        joint_positions=[0.1, 0.2],
    )
    frames = load_recording(tmp_path).frames
    for frame, shift in zip(frames, (0, 2, 10), strict=True):
        np.testing.assert_allclose(frame.points, POINTS + shift, atol=1e-5)
        assert frame.points.dtype == np.float32
    assert frames[1].colors is None
    assert frames[2].joint_positions == {"pan": 0.1, "tilt": 0.2}


def test_a_mesh_is_read_as_its_vertices(tmp_path):
    trimesh.creation.box().export(tmp_path / "mesh.ply")
    assert load_recording(tmp_path).frames[0].points.shape == (8, 3)


def test_points_that_are_not_finite_are_dropped_with_their_colors(tmp_path):
    points = POINTS.copy()
    points[3, 1], points[7] = np.nan, np.inf
    np.savez(tmp_path / "a.npz", points=points, colors=COLORS)
    frame = load_recording(tmp_path).frames[0]
    np.testing.assert_array_equal(frame.points, np.delete(POINTS, [3, 7], 0))
    np.testing.assert_array_equal(frame.colors, np.delete(COLORS, [3, 7], 0))


def empty(file):
    file.write_bytes(b"")


def garbage(file):
    file.write_bytes(b"\x00\xffnot a cloud at all\n" * 50)


def cut(file):
    if file.suffix == ".npz":
        np.savez(file, points=POINTS)
    elif file.suffix == ".pcd":
        write_pcd(file)
    else:
        write_ply(file)
    file.write_bytes(file.read_bytes()[: file.stat().st_size // 2])


def all_nan(file):
    nan = np.full((50, 3), np.nan)
    if file.suffix == ".npz":
        np.savez(file, points=nan)
    elif file.suffix == ".pcd":
        write_pcd(file, nan)
    else:
        write_ply_text(file, [["nan"] * 3] * 50)


def no_points(file):
    if file.suffix == ".npz":
        np.savez(file, points=np.zeros((0, 3)))
    elif file.suffix == ".pcd":
        header = "VERSION 0.7\nFIELDS x y z\nSIZE 4 4 4\nTYPE F F F\nCOUNT 1 1 1\nWIDTH 0\n"
        file.write_text(header + "HEIGHT 1\nVIEWPOINT 0 0 0 1 0 0 0\nPOINTS 0\nDATA ascii\n")
    else:
        write_ply_text(file, [])


@pytest.mark.parametrize("suffix", [".ply", ".pcd", ".npz"])
@pytest.mark.parametrize("damage", [empty, garbage, cut, all_nan, no_points])
def test_a_damaged_frame_gives_one_error_that_names_it(tmp_path, capfd, suffix, damage):
    damage(tmp_path / f"frame_3{suffix}")
    with pytest.raises(InputError, match=rf"frame_3\{suffix}: \S+"):
        load_recording(tmp_path)
    assert capfd.readouterr().out == ""


def test_a_cut_ascii_ply_is_refused(tmp_path):
    write_ply_text(tmp_path / "a.ply", POINTS.tolist(), count=400)
    with pytest.raises(InputError, match=r"a\.ply"):
        load_recording(tmp_path)


@pytest.mark.parametrize(
    "arrays",
    [
        {"cloud": POINTS},
        {"points": POINTS[:, :2]},
        {"points": POINTS.astype(complex)},
        {"points": POINTS.astype(str)},
        {"points": np.array([None, {}])},
        {"points": POINTS, "colors": COLORS[:5]},
        {"points": POINTS, "colors": COLORS.astype(float)},
        {"points": POINTS, "joint_positions": [0.1, np.nan]},
        {"points": POINTS, "joint_positions": [0.1, 0.2], "joint_names": ["a"]},
        {"points": POINTS, "joint_positions": ["a", "b"]},
    ],
)
def test_wrong_arrays_give_an_error_that_names_the_file(tmp_path, arrays):
    np.savez(tmp_path / "a.npz", **arrays)
    with pytest.raises(InputError, match=r"a\.npz: "):
        load_recording(tmp_path)


@given(
    st.dictionaries(
        st.text(st.characters(exclude_categories=["C", "Z"]), min_size=1), st.floats(-7, 7)
    )
)
def test_readings_come_back(tmp_path_factory, joints):
    file = tmp_path_factory.mktemp("readings") / "joint_cfg.txt"
    file.write_text("".join(f"{name}:{value!r}\n" for name, value in joints.items()))
    assert read_joint_cfg(file) == joints


@pytest.mark.parametrize("text", ["pan", "pan:", ":1", "pan:abc", "pan:nan", "a:1\na:2", "\x00:"])
def test_wrong_readings_name_the_line(tmp_path, text):
    file = tmp_path / "joint_cfg.txt"
    file.write_text(text)
    with pytest.raises(InputError, match=r"joint_cfg\.txt: line \d"):
        read_joint_cfg(file)


@pytest.mark.parametrize("kind", ["missing", "empty", "text", "bag"])
def test_what_is_no_recording_is_refused_with_the_accepted_formats(tmp_path, kind):
    path = tmp_path / kind
    if kind == "text":
        path.write_text("hello")
    elif kind != "missing":
        path.mkdir()
    if kind == "bag":
        (path / "metadata.yaml").write_text("")
    with pytest.raises(InputError, match=f"{kind}.*accepted is"):
        load_recording(path)


def test_a_damaged_bag_is_refused(tmp_path):
    for content in (b"", b"garbage" * 100):
        (tmp_path / "a.mcap").write_bytes(content)
        with pytest.raises(InputError, match=r"a\.mcap: \d+ bytes"):
            load_recording(tmp_path / "a.mcap")


def test_a_foreign_bag_is_refused_with_its_topics(tmp_path):
    from mcap.writer import Writer

    with (tmp_path / "a.mcap").open("wb") as stream:
        writer = Writer(stream)
        writer.start()
        channel = writer.register_channel("/scan", "cdr", 0)
        writer.add_message(channel, 0, b"abc", 0)
        writer.finish()
    with pytest.raises(InputError, match=r"/autourdf/cloud.*/scan"):
        load_recording(tmp_path / "a.mcap")


@given(st.lists(st.integers(0, 10**6), min_size=1))
def test_numbers_in_names_sort_by_value(numbers):
    paths = [Path(f"frame_{number}.ply") for number in numbers]
    assert sorted(paths, key=natural_key) == [Path(f"frame_{n}.ply") for n in sorted(numbers)]


def test_the_log_stays_quiet_for_whole_recordings(tmp_path, caplog):
    caplog.set_level(logging.WARNING)
    write_ply(tmp_path / "a.ply")
    load_recording(tmp_path)
    assert not caplog.records
