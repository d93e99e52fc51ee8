"""Small files that promise, or unpack to, far more than they are worth; XML that reaches out."""

import io
import sqlite3
import struct
import tracemalloc
import zipfile
from contextlib import closing

import numpy as np
import pytest
import trimesh
import zstandard
from mcap.writer import CompressionType
from mcap.writer import Writer as McapWriter
from rosbags.rosbag2 import ReaderError, storage_mcap
from samples import URDF, bag_sqlite, result

from autourdf_ros.data.bags import mcap_chunks
from autourdf_ros.data.bags.bag_repair import repair
from autourdf_ros.data.bags.plain_bag import PlainBag
from autourdf_ros.data.load import load_recording
from autourdf_ros.errors import InputError
from autourdf_ros.model.limits.motion_limits import read_limits
from autourdf_ros.model.urdf.live_model import LiveModel
from autourdf_ros.model.urdf.mesh_reading import read_meshes
from autourdf_ros.model.urdf.sliders import read_sliders
from autourdf_ros.model.urdf.urdf_extras import disabled_collisions, read_mimics
from autourdf_ros.model.urdf.urdf_reading import read_description

MANY = 10**12
LITTLE = 2**23  # bytes: more than any of these files should take

PLY = "ply\nformat {} 1.0\nelement vertex {}\n" + "".join(
    f"property float {axis}\n" for axis in "xyz"
)
PCD = "VERSION 0.7\nFIELDS x y z\nSIZE 4 4 4\nTYPE F F F\nCOUNT 1 1 1\nPOINTS {}\nDATA {}\n"
NPY = {"descr": "<f4", "fortran_order": False, "shape": (MANY, 3)}


@pytest.fixture
def little_memory():
    tracemalloc.start()
    yield
    _, most = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert most < LITTLE


def npz(header, times=0):
    stream, member = io.BytesIO(), io.BytesIO()
    np.lib.format.write_array_header_1_0(member, header)
    with zipfile.ZipFile(stream, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("points.npy", member.getvalue() + bytes(times))
    return stream.getvalue()


ZIP_BOMB = npz(NPY | {"shape": (10**6, 3)}, 12 * 10**6)


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("a.ply", (PLY.format("binary_little_endian", MANY) + "end_header\n").encode() + bytes(99)),
        ("a.ply", (PLY.format("ascii", MANY) + "end_header\n1 2 3\n").encode()),
        ("a.ply", (PLY.format("ascii", -5) + "end_header\n1 2 3\n").encode()),
        ("a.pcd", PCD.format(MANY, "binary").encode() + bytes(99)),
        ("a.pcd", PCD.format(MANY, "ascii").encode() + b"1 2 3\n"),
        (
            "a.pcd",
            PCD.format(10**8, "binary_compressed").encode() + struct.pack("<II", 4, 12 * 10**8),
        ),
        ("a.npz", npz(NPY)),
    ],
    ids=["ply", "ply text", "ply negative", "pcd", "pcd text", "pcd compressed", "npz"],
)
def test_more_points_than_the_file_holds_are_refused_unread(tmp_path, little_memory, name, content):
    (tmp_path / name).write_bytes(content)
    with pytest.raises(InputError, match=rf"{name}: .*(cut off|not a readable)"):
        load_recording(tmp_path)


def test_a_zip_bomb_is_refused_unread(tmp_path, little_memory):
    assert len(ZIP_BOMB) < 20_000
    (tmp_path / "a.npz").write_bytes(ZIP_BOMB)
    with pytest.raises(InputError, match=r"a\.npz: its arrays would take 12000\d+ bytes"):
        load_recording(tmp_path)


def test_an_array_of_objects_is_never_unpickled(tmp_path):
    np.savez(tmp_path / "a.npz", points=np.array([print, "x", None], dtype=object))
    with pytest.raises(InputError, match=r"a\.npz: .*pickled objects, which are never read"):
        load_recording(tmp_path)


@pytest.fixture
def little_bound(monkeypatch):
    monkeypatch.setattr(mcap_chunks, "LEAST", 2**20)


def chunk_of(size):
    stream = io.BytesIO()
    writer = McapWriter(stream, chunk_size=2**40, compression=CompressionType.ZSTD)
    writer.start("ros2", "test")
    schema = writer.register_schema("std_msgs/msg/String", "ros2msg", b"string data")
    channel = writer.register_channel("/x", "cdr", schema)
    writer.add_message(channel, 0, bytes(size), 0)
    writer.finish()
    return stream.getvalue()


def test_a_chunk_that_unpacks_to_far_more_is_refused(tmp_path, little_bound):
    file = tmp_path / "bag.mcap"
    file.write_bytes(chunk_of(2**24))
    assert file.stat().st_size < 10_000
    with pytest.raises(InputError, match=r"bag\.mcap: .*would take"):
        load_recording(file)
    with pytest.raises(InputError, match=r"bag\.mcap: .*no whole message"):
        repair(file, tmp_path / "out")
    with PlainBag(file) as bag, pytest.raises(InputError, match=r"bag\.mcap: .*would take"):
        list(bag.messages({"/x"}, lambda _: None))


def test_many_chunks_together_are_bounded_as_well(tmp_path, monkeypatch):
    monkeypatch.setattr(mcap_chunks, "LEAST", 0)
    monkeypatch.setattr(mcap_chunks, "MOST_TIMES", 1)
    file = tmp_path / "bag.mcap"
    file.write_bytes(chunk_of(2**16))
    with pytest.raises(InputError, match=r"bag\.mcap: .*would take"):
        load_recording(file)


def test_a_frame_that_lies_about_its_size_gives_no_more_than_asked():
    packed = zstandard.compress(bytes(2**24))
    assert len(mcap_chunks.unpack_zstd(packed, 1000)) == 1000


def test_rosbags_unpacks_within_the_same_bounds(little_bound):
    packed = zstandard.compress(bytes(2**24))
    assert set(storage_mcap.DECOMPRESSORS) == {"", "lz4", "zstd"}
    for kind in ("zstd", "lz4"):
        with pytest.raises(ReaderError, match="would take"):
            storage_mcap.decompress(packed, kind, 2**24, 0)
    with pytest.raises(ReaderError, match="size mismatch"):
        storage_mcap.decompress(packed, "zstd", 100, 0)


@pytest.mark.parametrize(
    "code",
    [
        "CREATE VIEW v AS SELECT zeroblob(1000000000)",
        "ALTER TABLE messages ADD COLUMN big BLOB GENERATED ALWAYS AS (zeroblob(1000000000))",
        "CREATE TRIGGER t AFTER INSERT ON topics BEGIN SELECT 1; END",
    ],
)
def test_a_database_with_code_in_it_is_refused(tmp_path, code):
    bag_sqlite(tmp_path)
    with closing(sqlite3.connect(tmp_path / "bag.db3")) as base:
        base.execute(code)
        base.commit()
    with pytest.raises(InputError, match=r"bag\.db3: has a \w+ '\w+' that is computed"):
        PlainBag(tmp_path / "bag.db3").__enter__()


ENTITY = '<!DOCTYPE robot [<!ENTITY a SYSTEM "file:///etc/hostname">]>'
LAUGHS = (
    '<!DOCTYPE r [<!ENTITY a "ha"><!ENTITY b "&a;&a;&a;&a;&a;&a;&a;&a;"><!ENTITY c "&b;&b;&b;">]>'
)


@pytest.mark.parametrize("declared", [ENTITY, LAUGHS, '<!DOCTYPE r SYSTEM "http://localhost/x">'])
def test_a_document_type_is_refused_everywhere(tmp_path, declared):
    result(tmp_path)
    urdf = tmp_path / "robot.urdf"
    hostile = URDF.replace("<robot", declared + "<robot")
    urdf.write_text(hostile)
    for read in (read_description, read_mimics, lambda _: LiveModel(tmp_path)):
        with pytest.raises(InputError, match=r"robot\.urdf: declares a document type"):
            read(urdf)
    with pytest.raises(InputError, match="robot_description: declares a document type"):
        read_sliders(hostile)
    urdf.write_text(URDF)
    (tmp_path / "robot.srdf").write_text(declared + "<robot/>")
    for read in (disabled_collisions, lambda _: LiveModel(tmp_path)):
        with pytest.raises(InputError, match=r"robot\.srdf: declares a document type"):
            read(urdf)


@pytest.mark.parametrize("encoding", ["utf-8", "utf-16"])
def test_a_mesh_with_a_document_type_is_refused_in_any_encoding(tmp_path, encoding):
    text = trimesh.creation.box().export(file_type="dae").decode()
    head = f'<?xml version="1.0" encoding="{encoding}"?>{LAUGHS}'
    text = head + text[text.index("<COLLADA") :]
    (tmp_path / "a.dae").write_bytes(text.encode(encoding))
    geometry = '<visual><geometry><mesh filename="a.dae"/></geometry></visual>'
    (tmp_path / "robot.urdf").write_text(
        f'<robot name="r"><link name="l">{geometry}</link></robot>'
    )
    (read,) = read_meshes(read_description(tmp_path / "robot.urdf")).values()
    assert "declares a document type" in read.problem


def test_a_mesh_of_another_format_is_not_opened(tmp_path):
    (tmp_path / "a.3mf").write_bytes(b"PK")
    geometry = '<visual><geometry><mesh filename="a.3mf"/></geometry></visual>'
    (tmp_path / "robot.urdf").write_text(
        f'<robot name="r"><link name="l">{geometry}</link></robot>'
    )
    (read,) = read_meshes(read_description(tmp_path / "robot.urdf")).values()
    assert "accepted are .stl, .obj, .dae, .ply" in read.problem


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("a: &a [1, 1]\nb: &b [*a, *a]\n", "alias"),
        ("[" * 10_000, "64 levels deep"),
        ("a: !!python/object/apply:os.system [id]\n", "could not determine a constructor"),
    ],
)
def test_yaml_is_plain_data(tmp_path, text, message):
    (tmp_path / "limits.yaml").write_text(text)
    with pytest.raises(InputError, match=rf"limits\.yaml: .*{message}"):
        read_limits(tmp_path / "limits.yaml")


@pytest.mark.parametrize("key", ["7", "null", "true", "1.5"])
def test_a_key_of_limits_that_is_no_text_is_named(tmp_path, key):
    head = "capture:\n  ros__parameters:\n    joints: [a]\n"
    for entry in (f"    {key}: 1\n    x: 1\n    a: {{lower: 0}}\n", f"    a: {{{key}: 1, x: 2}}\n"):
        (tmp_path / "limits.yaml").write_text(head + entry)
        with pytest.raises(InputError, match=r"limits\.yaml: "):
            read_limits(tmp_path / "limits.yaml")


def test_a_result_without_the_leading_joint_is_refused(tmp_path):
    result(tmp_path)
    document = tmp_path / "reconstruction.json"
    document.write_text(document.read_text().replace('"lift"', '"left"'))
    with pytest.raises(InputError, match="damaged result folder: joint slide follows lift"):
        LiveModel(tmp_path)


@pytest.mark.parametrize("ratio", ["0.0", "NaN", "1e999"])
def test_a_motor_without_a_usable_ratio_is_refused(tmp_path, ratio):
    result(tmp_path)
    document = tmp_path / "reconstruction.json"
    document.write_text(document.read_text().replace('"ratio": 1.0', f'"ratio": {ratio}'))
    with pytest.raises(InputError, match="damaged result folder: joint lift has ratio"):
        LiveModel(tmp_path)


def test_joints_that_follow_each_other_in_a_circle_are_named(tmp_path):
    urdf = tmp_path / "robot.urdf"
    urdf.write_text(URDF.replace('<mimic joint="lift"', '<mimic joint="slide"'))
    with pytest.raises(InputError, match=r"robot\.urdf: joint 'slide' follows itself"):
        read_mimics(urdf)
