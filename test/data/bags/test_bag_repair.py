"""A bag that is cut at any byte gives a whole one."""

import hashlib

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from mcap.reader import make_reader
from mcap.records import Message
from mcap.stream_reader import StreamReader
from mcap.writer import CompressionType, IndexType, Writer
from rosbags.rosbag2 import Reader
from terminating import exit_code_when_terminated

from autourdf_ros.cli import main as cli
from autourdf_ros.data.bags.bag_metadata import QOS
from autourdf_ros.data.bags.bag_repair import repair
from autourdf_ros.data.frame import Frame
from autourdf_ros.data.load import load_recording
from autourdf_ros.data.recording.writer import RecordingWriter
from autourdf_ros.errors import CancelledError, InputError

FORMS = {
    "zstd": {"compression": CompressionType.ZSTD, "chunk_size": 4000},
    "plain": {"compression": CompressionType.NONE, "chunk_size": 4000},
    "one large chunk": {"compression": CompressionType.ZSTD, "chunk_size": 2**40},
    "no chunks": {"use_chunking": False, "index_types": IndexType.NONE},
}
MESSAGES = 40


def write(file, form):
    """Noise on two topics, with metadata in front as rosbag2 has it; also of no ROS type."""
    rng = np.random.default_rng(0)
    qos = QOS.replace("depth: 10", "depth: 7")
    with file.open("wb") as stream:
        writer = Writer(stream, **FORMS[form])
        writer.start("ros2", "test")
        writer.add_metadata("rosbag2", {"serialized_metadata": "x"})
        schema = writer.register_schema("std_msgs/msg/String", "ros2msg", b"string data\n")
        channels = [
            writer.register_channel(topic, "cdr", schema, {"offered_qos_profiles": qos})
            for topic in ("/a", "/b")
        ]
        for number in range(MESSAGES):
            data = rng.bytes(int(rng.integers(10, 2000)))
            stamp = 1000 + 10 * number
            writer.add_message(channels[number % 2], stamp, data, stamp + 1, number)
        writer.finish()
    return file


@pytest.fixture(scope="module")
def bags(tmp_path_factory):
    folder = tmp_path_factory.mktemp("bags")
    return {form: write(folder / f"{number}.mcap", form) for number, form in enumerate(FORMS)}


def contents(file):
    with file.open("rb") as stream:
        records = list(StreamReader(stream, validate_crcs=True).records)
    return [
        (record.sequence, record.log_time, record.publish_time, record.data)
        for record in records
        if isinstance(record, Message)
    ]


def whole_before(file, cut):
    """Number of messages of the chunks that end before `cut`; without chunks, of the messages."""
    with file.open("rb") as stream:
        summary = make_reader(stream).get_summary()
    if summary.chunk_indexes:
        ends = [
            (index.chunk_start_offset + index.chunk_length, index.message_start_time)
            for index in summary.chunk_indexes
        ]
        starts = [start for end, start in ends if end <= cut]
        following = [start for end, start in ends if end > cut]
        last = min(following) if following else 1000 + 10 * MESSAGES
        return (last - 1000) // 10 if starts else 0
    sizes = [31 + len(data) for *_, data in contents(file)]
    first = file.read_bytes().index(contents(file)[0][3]) - 31
    return int((first + np.cumsum(sizes) <= cut).sum())


@pytest.mark.slow
@pytest.mark.parametrize("form", FORMS)
@given(data=st.data())
def test_a_cut_loses_at_most_the_last_chunk(bags, tmp_path_factory, form, data):
    folder = tmp_path_factory.mktemp("cut")
    whole = bags[form].read_bytes()
    cut = data.draw(st.integers(0, len(whole)))
    # Without chunks there is no checksum that distinguishes zeros from data.
    zeros = data.draw(st.sampled_from([0] if form == "no chunks" else [0, 1, 4096]))
    file = folder / "cut.mcap"
    file.write_bytes(whole[:cut] + bytes(zeros))
    digest = hashlib.sha256(file.read_bytes()).digest()
    least = whole_before(bags[form], cut)
    try:
        found = repair(file, folder / "out")
    except InputError:
        assert least == 0 and not (folder / "out").exists()
        return
    finally:
        assert hashlib.sha256(file.read_bytes()).digest() == digest
    mended = contents(folder / "out" / "cut.mcap")
    assert mended == contents(bags[form])[: len(mended)]
    assert least <= len(mended) == sum(found.messages.values())
    with Reader(folder / "out") as reader:
        assert reader.message_count == len(mended)
        assert [message[1] for message in reader.messages()] == [item[1] for item in mended]
        qos = [connection.ext.offered_qos_profiles for connection in reader.connections]
    assert found.cut == (() if cut == len(whole) and not zeros else ("cut.mcap",))
    assert all(profile[0].depth == 7 for profile in qos)


def test_what_of_a_large_chunk_can_be_decompressed_is_kept(bags, tmp_path):
    whole = write_large(tmp_path / "large.mcap")
    file = tmp_path / "cut.mcap"
    file.write_bytes(whole[: len(whole) // 2])
    assert 10 < sum(repair(file, tmp_path / "out").messages.values()) <= 50


def write_large(file):
    with file.open("wb") as stream:
        writer = Writer(stream, chunk_size=2**40)
        writer.start("ros2")
        schema = writer.register_schema("std_msgs/msg/String", "ros2msg", b"string data\n")
        channel = writer.register_channel("/a", "cdr", schema)
        for number in range(100):
            writer.add_message(channel, number, np.random.default_rng(number).bytes(20000), number)
        writer.finish()
    return file.read_bytes()


@pytest.mark.slow
@given(st.integers(0, 10**6), st.integers(1, 255))
def test_a_damaged_byte_costs_at_most_what_holds_it(bags, tmp_path_factory, place, change):
    folder = tmp_path_factory.mktemp("damaged")
    whole = bytearray(bags["zstd"].read_bytes())
    with bags["zstd"].open("rb") as stream:
        chunks = make_reader(stream).get_summary().chunk_indexes
    chunk = chunks[place % (len(chunks) - 1)]
    inside = chunk.chunk_start_offset + 60 + place % (chunk.chunk_length - 60)
    whole[inside] ^= change
    (folder / "bad.mcap").write_bytes(whole)
    found = repair(folder / "bad.mcap", folder / "out")
    original, mended = contents(bags["zstd"]), contents(folder / "out" / "bad.mcap")
    assert set(mended) <= set(original)
    missing = [item for item in original if item not in mended]
    assert len(missing) <= 10 and found.cut == ()
    assert bool(found.lost) == bool(missing)
    assert all(chunk.message_start_time <= item[1] <= chunk.message_end_time for item in missing)


def test_a_cut_recording_can_be_mended_and_read(tmp_path, capsys, caplog):
    with RecordingWriter(tmp_path / "bag", "world") as writer:
        writer.start_sequence("first")
        for number in range(5):
            points = np.random.default_rng(number).normal(size=(500, 3)).astype(np.float32)
            writer.write_frame(Frame(points, None, float(number), {"pan": number / 10}))
    file = tmp_path / "bag" / "recording_0.mcap"
    data = file.read_bytes()
    file.write_bytes(data[: data.rindex(b"/autourdf/cloud") * 6 // 10])
    before = load_recording(tmp_path / "bag")
    assert cli.main(["repair", str(tmp_path / "bag"), "-o", str(tmp_path / "out")]) == 0
    shown = capsys.readouterr().out
    assert "messages on /autourdf/cloud" in shown and "cut off: recording_0.mcap" in shown
    caplog.clear()
    after = load_recording(tmp_path / "out")
    assert not caplog.records
    assert after.fixed_frame == "world" and after.sequences[0].name == "first"
    assert 2 <= len(before.frames) <= len(after.frames) < 5
    for one, other in zip(before.frames, after.frames, strict=False):
        np.testing.assert_array_equal(one.points, other.points)
        assert one.joint_positions == other.joint_positions


def test_a_termination_leaves_nothing(bags, tmp_path, monkeypatch):
    file, out = bags["zstd"], tmp_path / "out"
    assert exit_code_when_terminated(monkeypatch, 0.0, "repair", file, "-o", out) == 130
    assert not list(tmp_path.iterdir())


def test_nothing_is_overwritten_nor_left_when_cancelled(bags, tmp_path):
    def cancel(stage, fraction):
        raise CancelledError("cancelled")

    with pytest.raises(CancelledError):
        repair(bags["zstd"], tmp_path / "out", cancel)
    assert not list(tmp_path.iterdir())
    (tmp_path / "taken").touch()
    with pytest.raises(InputError, match="not an empty folder"):
        repair(bags["zstd"], tmp_path)
    folder = bags["zstd"].parent
    with pytest.raises(InputError, match="accepted is a folder outside"):
        repair(folder, folder / "out")


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("a.mcap", b"hello", "5 bytes, not an MCAP file"),
        ("a.mcap", b"", "0 bytes, not an MCAP file"),
        ("a.mcap", b"\x89MCAP0\r\n", "holds no whole message"),
        ("a.db3", b"", "is no .mcap file"),
    ],
)
def test_what_cannot_be_repaired_is_refused(tmp_path, name, content, message):
    (tmp_path / name).write_bytes(content)
    with pytest.raises(InputError, match=message):
        repair(tmp_path / name, tmp_path / "out")
    assert not (tmp_path / "out").exists()
