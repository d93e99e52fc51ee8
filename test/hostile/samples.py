"""Small valid files of every kind that is read, and their readers."""

import io
import json
import shutil
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import trimesh
from rosbags.rosbag2 import StoragePlugin, Writer
from video_samples import VIDEO_FILES

from autourdf_ros.assessment.metrics.truth.truth import load_truth
from autourdf_ros.benchmark.payload.tool_folder import read_tool_cloud, read_tool_truth
from autourdf_ros.data.bags import topics
from autourdf_ros.data.bags.bag_index import choose_topics, read_index
from autourdf_ros.data.bags.bag_repair import repair
from autourdf_ros.data.bags.plain_bag import PlainBag
from autourdf_ros.data.bags.point_cloud2 import points_from_cloud
from autourdf_ros.data.cloud_files.sequence_folder import read_joint_cfg
from autourdf_ros.data.efforts.effort_reading import read_efforts
from autourdf_ros.data.frame import Frame
from autourdf_ros.data.load import load_recording
from autourdf_ros.data.parts.assembly_reading import read_assembly
from autourdf_ros.data.parts.parts_options import PartsOptions
from autourdf_ros.data.recording.writer import RecordingWriter
from autourdf_ros.data.wrenches.trajectory_file import read_trajectory
from autourdf_ros.data.wrenches.wrench_table import COLUMNS, read_wrench_table
from autourdf_ros.errors import InputError
from autourdf_ros.model.document_migration import VERSION
from autourdf_ros.model.limits.motion_limits import JointLimits, limits_yaml, read_limits
from autourdf_ros.model.result_files import DOCUMENT, FORMAT
from autourdf_ros.model.urdf.live_model import LiveModel
from autourdf_ros.model.urdf.mesh_reading import read_meshes
from autourdf_ros.model.urdf.posed_urdf import read_urdf
from autourdf_ros.model.urdf.simulated_robot import SimulatedRobot
from autourdf_ros.model.urdf.urdf_reading import read_description

POINTS = np.random.default_rng(0).normal(size=(60, 3)).astype(np.float32)
COLORS = np.random.default_rng(1).integers(0, 256, (60, 3), np.uint8)

URDF = """<?xml version="1.0"?>
<robot name="small">
  <link name="base_link">
    <visual><geometry><mesh filename="meshes/a.obj"/></geometry></visual>
  </link>
  <link name="arm">
    <inertial><origin xyz="0.2 0 0"/><mass value="2"/>
      <inertia ixx="0.002" ixy="0" ixz="0" iyy="0.02" iyz="0" izz="0.02"/></inertial>
    <visual><origin xyz="0.2 0 0"/><geometry><box size="0.3 0.05 0.05"/></geometry></visual>
    <collision><geometry><cylinder radius="0.1" length="0.3"/></geometry></collision>
  </link>
  <link name="slider"/>
  <joint name="lift" type="revolute"><parent link="base_link"/><child link="arm"/>
    <origin xyz="0.1 0 0.2" rpy="0 0 1"/><axis xyz="0 1 0"/>
    <limit lower="-1.5" upper="1.5" effort="50" velocity="1"/></joint>
  <joint name="slide" type="prismatic"><parent link="arm"/><child link="slider"/>
    <axis xyz="1 0 0"/><limit lower="0" upper="0.1" effort="100" velocity="0.1"/>
    <mimic joint="lift" multiplier="0.1" offset="0"/></joint>
</robot>
"""


@dataclass(frozen=True)
class Sample:
    """Valid files and their reader.

    Attributes:
        files: with their whole content; a case corrupts one of them.
        read: reads them.
        names: further names by which an error may name them.
    """

    files: list[tuple[Path, bytes]]
    read: Callable[[], object]
    names: tuple[str, ...] = ()


def _sample(folder, contents, read, *names):
    files = []
    for name, content in contents.items():
        file = folder / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(content)
        files.append((file, content))
    return Sample(files, read, (folder.name, *names))


def ply(folder):
    binary = trimesh.PointCloud(POINTS, COLORS).export(file_type="ply")
    text = trimesh.PointCloud(POINTS[:9], COLORS[:9]).export(file_type="ply", encoding="ascii")
    return _each(folder, {"a.ply": binary, "b.ply": _bytes(text)})


def pcd(folder):
    values = np.hstack([POINTS, POINTS[:, :1]]).astype("<f4")
    columns = values.T.tobytes()
    # LZF of nothing but copied bytes, 32 at a time.
    packed = b"".join(
        bytes([len(columns[i : i + 32]) - 1]) + columns[i : i + 32]
        for i in range(0, len(columns), 32)
    )
    sizes = np.array([len(packed), len(columns)], "<u4").tobytes()
    header = (
        "VERSION 0.7\nFIELDS x y z rgb\nSIZE 4 4 4 4\nTYPE F F F F\nCOUNT 1 1 1 1\nWIDTH 60\n"
        "HEIGHT 1\nVIEWPOINT 0 0 0 1 0 0 0\nPOINTS 60\nDATA "
    )
    text = "\n".join(" ".join(map(str, row)) for row in values.tolist())
    kinds = {
        "a.pcd": b"binary\n" + values.tobytes(),
        "b.pcd": b"ascii\n" + text.encode(),
        "c.pcd": b"binary_compressed\n" + sizes + packed,
    }
    return _each(folder, {name: header.encode() + data for name, data in kinds.items()})


def npz(folder):
    arrays = {"points": POINTS, "colors": COLORS, "joint_positions": np.array([0.1, 0.2])}
    names = np.array(["pan", "tilt"])
    files = {}
    for name, save in (("a.npz", np.savez), ("b.npz", np.savez_compressed)):
        stream = io.BytesIO()
        save(stream, joint_names=names, **arrays)
        files[name] = stream.getvalue()
    return _each(folder, files)


def recording(folder):
    with RecordingWriter(folder / "made") as writer:
        writer.start_sequence("0000")
        for number in range(3):
            writer.write_frame(Frame(POINTS, COLORS, float(number), {"pan": 0.1 * number}))
    (file,) = (folder / "made").glob("*.mcap")
    return _sample(folder, {"bag.mcap": file.read_bytes()}, lambda: load_recording(folder))


def repairing(folder):
    made = recording(folder)
    out = folder.parent / f"{folder.name}_repaired"

    def read():
        shutil.rmtree(out, ignore_errors=True)
        repair(folder / "bag.mcap", out)

    return Sample(made.files, read, made.names)


def bag_mcap(folder):
    return _plain(folder, StoragePlugin.MCAP, "*.mcap")


def bag_sqlite(folder):
    return _plain(folder, StoragePlugin.SQLITE3, "*.db3")


def point_cloud2(folder):
    """Return a message whose header's numbers come from a corrupted JSON file."""
    numbers = {"height": 2, "width": 30, "point_step": 16, "row_step": 480, "offset": 8}
    numbers |= {"datatype": 7, "count": 1, "bytes": 960, "is_bigendian": 0}
    file = folder / "cloud.json"

    def read():
        try:
            given = json.loads(file.read_bytes())
            values = [int(given[key]) % 2**32 for key in numbers]
        except (KeyError, TypeError, ValueError, OverflowError, RecursionError):
            return
        height, width, step, row, offset, kind, count, size, big = values
        kinds = [(7, 0), (7, 4), (kind, offset), (6, 12)]
        fields = [
            SimpleNamespace(name=name, datatype=datatype % 256, offset=place, count=count)
            for name, (datatype, place) in zip(("x", "y", "z", "rgb"), kinds, strict=True)
        ]
        cloud = SimpleNamespace(
            header=SimpleNamespace(frame_id="camera"),
            height=height,
            width=width,
            point_step=step,
            row_step=row,
            fields=fields,
            is_bigendian=big,
            data=bytes(min(size, 10**6)),
        )
        points_from_cloud(cloud)

    return _sample(folder, {"cloud.json": json.dumps(numbers).encode()}, read, "camera")


def cloud_message(folder):
    message = topics.cloud_message(Frame(POINTS, COLORS, 1.0, None), 10**9, "camera")
    file = folder / "cloud.cdr"

    def read():
        try:
            topics.read_cloud_message(file.read_bytes())
        except ValueError as error:
            raise InputError(f"{file}: {error}") from error

    return _sample(folder, {"cloud.cdr": message}, read)


def joint_cfg(folder):
    return _sample(
        folder,
        {"joint_cfg.txt": b"pan:0.1\ntilt: -0.2\n"},
        lambda: read_joint_cfg(folder / "joint_cfg.txt"),
    )


def result(folder):
    joints = [
        {"name": "lift", "reference": 0.1, "motor": {"name": "m", "ratio": 1.0, "offset": 0.0}},
        {"name": "slide", "reference": 0.0, "motor": None},
    ]
    document = {
        "format": FORMAT,
        "version": VERSION,
        "verdict": "trusted",
        "name": "small",
        "reference_configuration": {"lift": 0.1},
        "joints": joints,
        "sequences": [],
    }
    mesh = trimesh.creation.box().export(file_type="obj")

    def read():
        model = LiveModel(folder)
        model.fixed_transforms()
        model.moving_transforms(model.joint_values({"m": 0.2}))
        model.description()

    files = {
        DOCUMENT: json.dumps(document).encode(),
        "robot.urdf": URDF.encode(),
        "robot.srdf": b'<robot name="small"><disable_collisions link1="a" link2="b"/></robot>',
    }
    made = _sample(folder, files, read)
    _sample(folder, {"meshes/a.obj": _bytes(mesh)}, read)
    return made


def urdf(folder):
    return _robot(folder, lambda: read_description(folder / "robot.urdf"))


def posed_urdf(folder):
    def read():
        read_urdf(folder / "robot.urdf").skeleton({})

    return _robot(folder, read)


def simulated_urdf(folder):
    return _robot(folder, lambda: SimulatedRobot(folder / "robot.urdf"))


def meshes(folder):
    box = trimesh.creation.icosphere(subdivisions=1)
    files = {f"meshes/a.{kind}": _bytes(box.export(file_type=kind)) for kind in _MESHES}
    text = "".join(
        f'<link name="{kind}"><visual><geometry><mesh filename="meshes/a.{kind}"/>'
        "</geometry></visual></link>"
        for kind in _MESHES
    )
    (folder / "robot.urdf").write_text(f'<robot name="m">{text}</robot>')
    robot = read_description(folder / "robot.urdf")
    return _sample(folder, files, lambda: read_meshes(robot))


_MESHES = ("stl", "obj", "ply", "dae")


def part_folder(folder):
    """Eight parts, each in a file of its own format."""
    files = {}
    for number, kind in enumerate(("stl", "ply", "dae", "off", "glb", "stl_ascii", "gltf", "obj")):
        ball = trimesh.creation.icosphere(subdivisions=1).apply_translation((3 * number, 0, 0))
        suffix, content = kind.partition("_")[0], ball.export(file_type=kind)
        if kind == "gltf":
            files |= content
            files["g.gltf"] = files.pop("model.gltf")
        else:
            files[f"{number}.{suffix}"] = _bytes(content)
    return _sample(folder, files, lambda: read_assembly(folder))


def part_scene(folder):
    """Files with several parts each: nodes with poses, objects with polygons, components."""
    scene = trimesh.Scene()
    for number in range(2):
        box = trimesh.creation.box((1, 2, 3))
        pose = trimesh.transformations.rotation_matrix(0.3, (0, 1, 0), (number, 0, 0))
        scene.add_geometry(box, f"box_{number}", f"node_{number}", transform=pose)
    corners = ["v %d %d %d" % corner for corner in np.ndindex(2, 2, 2)]  # noqa: UP031
    far = ["v %d %d %d 1 0 0" % (5 + x, y, z) for x, y, z in np.ndindex(2, 2, 2)]  # noqa: UP031
    faces = ["1 2 4 3", "5/1 7/1 8//2 6", "1 5 6 2", "3 4 8", "3 8 7", "1 3 7 5", "2 6 8 4"]
    below = ["f -8 -7 -5 -6", "f -4 -2 -1 -3", "f -8 -4 -3 -7", "f -6 -5 -1 -2"]
    lines = [*corners, "o a", *(f"f {face}" for face in faces), *far, "o b", "g x y", *below]
    files = {
        "a.glb": scene.export(file_type="glb"),
        "a.dae": _bytes(scene.to_mesh().export(file_type="dae")),
        "a.obj": "\n".join(lines).encode(),
        "b.stl": scene.to_mesh().export(file_type="stl"),
    }

    def read():
        errors = []
        for name in files:
            try:
                read_assembly(folder / name, PartsOptions(unit="cm", split=True))
            except InputError as error:
                errors.append(error)
        if errors:
            raise errors[0]

    return _sample(folder, files, read)


def limits(folder):
    text = limits_yaml({"pan": JointLimits(-1, 1, 0.5, 1), "tilt": JointLimits(-2, 1, 0.5, 1)}, "x")
    return _sample(
        folder, {"limits.yaml": text.encode()}, lambda: read_limits(folder / "limits.yaml")
    )


def truth(folder):
    joint = {"name": "a", "type": "revolute", "axis": [0, 0, 1], "point": [0, 0, 0.5]}
    document = {"joints": [joint | {"parent": 0, "child": 1}, joint | {"parent": 1, "child": 2}]}
    document |= {"urdf": "robot.urdf", "reference_configuration": {"lift": 0.2}}
    return _sample(
        folder,
        {"truth.json": json.dumps(document).encode()},
        lambda: load_truth(folder / "truth.json"),
    )


def wrenches(folder):
    """A table of wrenches of both formats."""
    times = np.linspace(0, 1, 40)
    values = np.random.default_rng(2).normal(size=(40, 6))
    pose = np.tile([0.1, 0.2, 0.3, 0, 0, 0, 1], (40, 1))
    table = np.column_stack([times, pose, values])
    text = io.StringIO()
    np.savetxt(text, table, "%.6g", ",", header=",".join(COLUMNS), comments="")
    files = {"a.csv": text.getvalue().encode()}
    files["a.npz"] = _saved(dict(zip(COLUMNS, table.T, strict=True)))
    return _sample(folder, files, lambda: _all(read_wrench_table, folder, files))


def trajectory(folder):
    """A trajectory of the payload benchmark."""
    poses = np.tile(np.eye(4), (20, 1, 1))
    arrays = {"time": np.linspace(0, 1, 20), "sensor_pose": poses, "object_pose": poses}
    arrays |= {name: np.ones((20, 6)) for name in ("sensor_vel", "sensor_acc", "wrench")}
    read = partial(read_trajectory, folder / "trajectory.npz", mirrored=True)
    return _sample(folder, {"trajectory.npz": _saved(arrays)}, read)


def efforts(folder):
    """Efforts of joints in both formats."""
    rows = np.random.default_rng(3).normal(size=(30, 4)).cumsum(0)
    times = np.arange(30.0)
    names = ["pan.position", "pan.effort", "tilt.position", "tilt.effort"]
    text = io.StringIO()
    head = ",".join(["time", *names])
    np.savetxt(text, np.column_stack([times, rows]), "%.6g", ",", header=head, comments="")
    arrays = {"joints": np.array(["pan", "tilt"]), "times": times}
    arrays |= {"positions": rows[:, ::2], "efforts": rows[:, 1::2], "velocities": rows[:, ::2]}
    files = {"a.csv": text.getvalue().encode(), "a.npz": _saved(arrays)}
    return _sample(folder, files, lambda: _all(read_efforts, folder, files))


def tool_truth(folder):
    """The truth of a tool of the payload benchmark."""
    pose = "[[1, 0, 0, 0], [0, 1, 0, 0], [0, 0, 1, 0], [0, 0, 0, 1]]"
    text = (
        "OBJECT:\n  MASS: 0.5\n  COM_WRT_MESH: [0, 0, 0.1]\n"
        f"  INERTIA_WRT_COM: [[1, 0, 0], [0, 1, 0], [0, 0, 1]]\n  GRASP_WRT_MESH: {pose}\n"
    )
    read = partial(read_tool_truth, folder / "truth.yaml")
    return _sample(folder, {"truth.yaml": text.encode()}, read)


def tool_cloud(folder):
    """The cloud of a tool of the payload benchmark."""
    head = "ply\nformat ascii 1.0\nelement vertex 60\n"
    head += "".join(f"property float {name}\n" for name in ("x", "y", "z", "red", "green", "blue"))
    rows = [f"{' '.join(f'{one:.5f}' for one in (*p, 0.1, 0.2, 0.3))} 1" for p in POINTS.tolist()]
    text = f"{head}property int segmentation\nend_header\n" + "\n".join(rows) + "\n"
    read = partial(read_tool_cloud, folder / "cloud.ply")
    return _sample(folder, {"cloud.ply": text.encode()}, read)


def _saved(arrays):
    stream = io.BytesIO()
    np.savez_compressed(stream, **arrays)
    return stream.getvalue()


def _all(read, folder, names):
    """Read every file; raise the first refusal."""
    errors = []
    for name in names:
        try:
            read(folder / name)
        except InputError as error:
            errors.append(error)
    if errors:
        raise errors[0]


PARSERS = {
    maker.__name__: maker
    for maker in (
        *(ply, pcd, npz, recording, repairing, bag_mcap, bag_sqlite, point_cloud2, cloud_message),
        *(joint_cfg, result, urdf, posed_urdf, simulated_urdf, meshes, limits, truth),
        *(part_folder, part_scene),
        *(wrenches, trajectory, efforts, tool_truth, tool_cloud),
    )
}


def _each(folder, contents):
    return _sample(folder, contents, lambda: load_recording(folder))


def _robot(folder, read):
    _sample(folder, {"meshes/a.obj": _bytes(trimesh.creation.box().export(file_type="obj"))}, read)
    return _sample(folder, {"robot.urdf": URDF.encode()}, read)


def _bytes(content):
    return content if isinstance(content, bytes) else content.encode()


def _plain(folder, plugin, pattern):
    types = topics.typestore().types
    header = types["std_msgs/msg/Header"]
    time = types["builtin_interfaces/msg/Time"]
    kind = topics.JOINT_STATES.type
    none = np.zeros(0)
    with Writer(folder / "made", version=8, storage_plugin=plugin) as writer:
        connection = writer.add_connection("/joint_states", kind, typestore=topics.typestore())
        clouds = writer.add_connection("/points", topics.CLOUD.type, typestore=topics.typestore())
        for number in range(5):
            values = np.array([0.1 * number, 0.2])
            message = types[kind](header(time(number, 0), ""), ["pan", "tilt"], values, none, none)
            data = topics.typestore().serialize_cdr(message, kind)
            writer.write(connection, number * 10**9, data)
            cloud = topics.cloud_message(Frame(POINTS, None, 0.0, None), number * 10**9, "camera")
            writer.write(clouds, number * 10**9, cloud)
    (file,) = (folder / "made").glob(pattern)
    name = f"bag{file.suffix}"

    def read():
        with PlainBag(folder / name) as bag:
            read_index(bag, choose_topics(bag), lambda *_: None)

    return _sample(folder, {name: file.read_bytes()}, read)


def metadata(folder):
    """Return the metadata.yaml of a bag folder."""
    made = bag_sqlite(folder)
    file = folder / "made" / "metadata.yaml"

    def read():
        with PlainBag(folder / "made") as bag:
            read_index(bag, choose_topics(bag), lambda *_: None)

    return Sample([(file, file.read_bytes())], read, made.names)


PARSERS["metadata"] = metadata


def _of_video(make):
    return lambda folder: _sample(folder, *make(folder), "bag")


PARSERS |= {name: _of_video(make) for name, make in VIDEO_FILES.items()}
