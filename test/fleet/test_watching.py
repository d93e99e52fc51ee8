"""Recordings of robots are done as they arrive, and a page shows which robot has changed."""

import json
import re

import numpy as np
import pytest
from sample_results import write_small_arm

from autourdf_ros.errors import InputError
from autourdf_ros.fleet import watching
from autourdf_ros.fleet.result_store import ResultStore
from autourdf_ros.fleet.robot_history import histories
from autourdf_ros.fleet.robots_page import write_robots_page
from autourdf_ros.fleet.watching import Watch, WatchOptions


def record(name, robot, folder="", **changes):
    return {
        "name": f"{robot}.{name}",
        "robot": robot,
        "state": "done",
        "verdict": "trusted",
        "key": f"{robot}{name}",
        "folder": folder,
        "seconds": 1.0,
        "cpu_seconds": 1.0,
        "peak_memory": 1,
        "bytes_in": 1,
        "bytes_out": 1,
    } | changes


@pytest.fixture
def batches(monkeypatch):
    """What is done, in place of doing it."""
    done = []

    def run(jobs, store, connect, progress, report, options):
        done.append([job.name for job in jobs])
        return [record(job.name.partition(".")[2], job.robot) for job in jobs]

    monkeypatch.setattr(watching, "run_batch", run)
    return done


def test_what_has_arrived_is_done_once(batches, tmp_path):
    at = tmp_path / "in/arm_1/monday"
    at.mkdir(parents=True)
    moments = []

    def progress(stage, fraction):
        moments.append(stage)
        text = {1: "half", 2: "whole", 5: "another"}.get(len(moments))
        if text:
            (at / "cloud.ply").write_text(text)

    watch = Watch(
        str(tmp_path / "in"),
        "reconstruct",
        ResultStore(str(tmp_path / "out")),
        lambda: None,
        WatchOptions(period=1e-4, rounds=9),
    )
    watch.run(progress)
    assert batches == [["arm_1.monday"]] * 2  # as `whole` and as `another`, never as `half`
    assert (tmp_path / "out/summary.html").exists() and (tmp_path / "out/robots.html").exists()


def test_a_place_that_is_not_there_is_refused_at_the_start(tmp_path):
    store = ResultStore(str(tmp_path / "out"))
    with pytest.raises(InputError, match="cannot be listed"):
        Watch(str(tmp_path / "none"), "reconstruct", store, lambda: None).run()


@pytest.mark.slow
def test_a_robot_whose_joint_has_moved_stands_out(tmp_path):
    store = ResultStore(str(tmp_path))
    for name in ("results/a", "results/b", "results/c"):
        write_small_arm(tmp_path / name)
    urdf = tmp_path / "results/b/robot.urdf"
    joint = re.search(r'<joint name="(\w+)" type="revolute">', urdf.read_text())[1]
    pattern = rf'(<joint name="{joint}".*?<axis xyz=")[^"]*'
    text = re.sub(pattern, r"\g<1>0.1 0.2 0.97", urdf.read_text(), count=1, flags=re.DOTALL)
    urdf.write_text(text)
    records = [
        record("1", "still", "results/a"),
        record("2", "still", "results/c"),
        record("1", "bent", "results/a"),
        record("2", "bent", "results/b"),
        record("3", "bent", state="failed", verdict="", error="<no robot>"),
        record("1", "", "results/a"),
    ]
    found = histories(store, records)
    changes = {one.robot: [moment.changes for moment in one.moments] for one in found}
    assert list(changes) == ["bent", "still"]
    assert changes["still"][1]["changed"] is False
    assert changes["bent"][0] is None and changes["bent"][1]["changed"] is True
    assert changes["bent"][2] is None
    write_robots_page(store, found)
    page = (tmp_path / "robots.html").read_text()
    assert page.count('<tr class="changed">') == 1 and "&lt;no robot&gt;" in page
    assert histories(store, records) == found and len(list((tmp_path / "history").iterdir())) == 2


@pytest.mark.slow
def test_a_camera_that_has_moved_stands_out(tmp_path):
    store = ResultStore(str(tmp_path))
    for number in (1, 2):
        write_small_arm(tmp_path / f"results/{number}")
        poses = np.tile(np.eye(4), (4, 1, 1))
        poses[:, :3, 3] = np.eye(4, 3)
        if number == 2:
            poses[2, 0, 3] += 0.004
        file = tmp_path / f"results/{number}/reconstruction.json"
        document = json.loads(file.read_text())
        entry = {"turn_std": 1e-4, "shift_std": 1e-4}
        document["camera_poses"] = [{"pose": pose.tolist(), **entry} for pose in poses]
        file.write_text(json.dumps(document))
    records = [record(f"{number}", "arm", f"results/{number}") for number in (1, 2)]
    found = histories(store, records)
    cameras = found[0].moments[1].changes["cameras"]
    assert [camera["changed"] for camera in cameras] == [False, False, True, False]
    assert cameras[2]["name"] == "camera 3" and cameras[2]["distance"] == pytest.approx(0.004)
    write_robots_page(store, found)
    page = (tmp_path / "robots.html").read_text()
    assert "<td>camera 3</td><td>⚠ 0.00°, 4.00 mm</td>" in page
    assert page.count('<tr class="changed">') == 1
