"""Inputs and results in an S3-compatible store, against a local moto.

It runs where s3fs and moto are installed (docs/fleet.md): their locked versions would need another
python-dateutil than the rest.
"""

import pytest
from stand_in_work import good

from autourdf_ros.fleet.batch import BatchOptions, run_batch
from autourdf_ros.fleet.jobs.job_folder import jobs_below
from autourdf_ros.fleet.jobs.places import digest, fetched
from autourdf_ros.fleet.result_store import ResultStore
from autourdf_ros.fleet.summary_page import write_summary

pytestmark = pytest.mark.slow
SECRET = "not-even-a-real-secret"


@pytest.fixture(scope="module")
def lab():
    """A bucket with two recordings; credentials are where the libraries find them."""
    s3fs = pytest.importorskip("s3fs")
    server = pytest.importorskip("moto.server")
    moto = server.ThreadedMotoServer(ip_address="127.0.0.1", port=0)
    moto.start()
    host, port = moto.get_host_and_port()
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("AWS_ENDPOINT_URL", f"http://{host}:{port}")
        patch.setenv("AWS_ACCESS_KEY_ID", "robot")
        patch.setenv("AWS_SECRET_ACCESS_KEY", SECRET)
        patch.setenv("AWS_DEFAULT_REGION", "us-east-1")
        s3fs.S3FileSystem.clear_instance_cache()
        system = s3fs.S3FileSystem()
        system.mkdir("lab")
        for name in ("a", "b"):
            system.pipe(f"lab/recs/{name}/deep/cloud.ply", name.encode())
        yield system
    moto.stop()


def test_a_batch_reads_from_and_writes_to_a_store(lab):
    from distributed import Client, LocalCluster

    jobs, store = jobs_below("s3://lab/recs"), ResultStore("s3://lab/out")
    with LocalCluster(
        n_workers=2, threads_per_worker=1, processes=False, dashboard_address=None
    ) as local:
        records = run_batch(
            jobs,
            store,
            lambda: Client(local, set_as_default=False),
            options=BatchOptions(function=good),
        )
    assert [(one["name"], one["state"]) for one in records] == [("a", "done"), ("b", "done")]
    assert run_batch(jobs, store, lambda: 1 / 0) == records
    write_summary(store, records)
    held = {at: lab.cat(at) for at in lab.find("lab/out")}
    assert len([at for at in held if "/results/" in at]) == 2
    assert not any(SECRET.encode() in content for content in held.values())


def test_the_first_writer_wins(lab, tmp_path):
    (tmp_path / "robot.urdf").write_text("<robot/>")
    store, record = ResultStore("s3://lab/race"), {"name": "arm", "state": "done"}
    first = store.publish("k1", tmp_path, record)
    assert store.publish("k1", tmp_path, {**record, "state": "late"}) == first
    assert len(lab.find("lab/race/results", refresh=True)) == 1


def test_an_input_is_fetched_and_known_by_its_tags(lab, tmp_path):
    before = digest("s3://lab/recs/a")
    path, size = fetched("s3://lab/recs/a", tmp_path)
    assert (path / "deep/cloud.ply").read_text() == "a" and size == 1
    lab.pipe("lab/recs/a/deep/cloud.ply", b"c")
    assert digest("s3://lab/recs/a") != before
