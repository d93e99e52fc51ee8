"""A job file of untrusted origin is read within bounds, or refused by name."""

import pytest

from autourdf_ros.errors import InputError
from autourdf_ros.fleet.jobs.job_file import MOST_BYTES, read_job_file

JOB = "{name: a, input: recs/a}"


def read(tmp_path, text, roots=()):
    path = tmp_path / "jobs.yaml"
    path.write_text(text)
    return read_job_file(path, roots)


def jobs(*entries):
    return "version: 1\njobs:\n" + "".join(f"- {entry}\n" for entry in entries)


def test_a_job_is_read_with_its_files(tmp_path):
    entry = (
        "{name: arm, robot: arm_7, estimator: reconstruct, input: recs/arm, memory: 3 GiB, "
        "options: {points: 3000, no-readings: true, limits: limits.yaml}}"
    )
    (job,) = read(tmp_path, jobs(entry))
    assert (job.name, job.robot, job.memory) == ("arm", "arm_7", 3 << 30)
    assert job.inputs == (str(tmp_path / "recs/arm"),)
    assert job.options == {"points": 3000, "no-readings": True}
    assert job.files == {"limits": str(tmp_path / "limits.yaml")}


def test_a_job_is_named_by_its_input(tmp_path):
    assert [job.name for job in read(tmp_path, jobs("{input: recs/b.mcap}"))] == ["b"]


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "accepted is a mapping"),
        ("version: 2\njobs: []", "has version 2"),
        ("version: 1\njobs: []", "a list of 1 to"),
        ("version: 1\njobs: [1]", "job 1: is int"),
        (jobs(JOB) + "more: 1", "has the key 'more'"),
        (jobs("{name: a, input: x, run: 'rm -rf /'}"), "has the key 'run'"),
        (jobs("{name: a, estimator: view, input: x}"), "estimator 'view'; accepted are reconstru"),
        (jobs("{name: a, estimator: [x], input: x}"), "estimator"),
        (jobs("{name: a, input: x, options: {out: /etc}}"), "option 'out'"),
        (jobs("{name: a, input: x, options: {progress: json}}"), "option 'progress'"),
        (jobs("{name: a, input: x, options: {points: [1, 2]}}"), "option points"),
        (jobs('{name: a, input: x, options: {name: "a\\nb"}}'), "option name"),
        (jobs("{name: ../a, input: x}"), "the name '../a'"),
        (jobs("{name: a, input: ../x}"), "has '..'"),
        (jobs("{name: a, input: /etc/passwd}"), "is outside"),
        (jobs("{name: a, input: x, options: {limits: /etc/passwd}}"), "option limits.* is outside"),
        (jobs("{name: a, input: 's3://other/x'}"), "is outside"),
        (jobs("{name: a, input: 'file:///etc/passwd'}"), "accepted are paths, s3://"),
        (jobs("{name: a, input: 'zip://x::s3://b/c'}"), "is no path and no URL"),
        (jobs("{name: a, inputs: [x, y]}"), "has 2 inputs; accepted are 1"),
        (jobs("{name: a, input: x, inputs: [y]}"), "either input or inputs"),
        (jobs("{name: a, input: 5}"), "accepted are paths and URLs"),
        (jobs("{name: a, input: x, memory: 1e99}"), "memory"),
        (jobs(JOB, JOB), "two jobs have the name a"),
        (jobs("{name: a, input: !!python/object/apply:os.system [id]}"), "not readable as YAML"),
        ("version: 1\na: &a [1]\njobs: [*a]", r"has the alias \*a"),
        ("[" * 100, "levels deep"),
        ("version: 1\njobs: [\x00]", "not readable"),
    ],
)
def test_a_hostile_job_file_is_refused_by_name(tmp_path, text, said):
    with pytest.raises(InputError, match=rf"(?s)jobs\.yaml: .*{said}"):
        read(tmp_path, text)


def test_a_huge_job_file_is_refused_unread(tmp_path):
    path = tmp_path / "jobs.yaml"
    with path.open("wb") as file:
        file.truncate(MOST_BYTES + 1)
    with pytest.raises(InputError, match="larger than 16 MiB"):
        read_job_file(path)


def test_a_link_that_leads_outside_is_refused(tmp_path):
    (tmp_path / "recs").symlink_to("/etc")
    with pytest.raises(InputError, match="is outside"):
        read(tmp_path, jobs("{name: a, input: recs/passwd}"))


@pytest.mark.parametrize("url", ["s3://me:secret@lab/a", "https://lab/a?token=secret"])
def test_credentials_in_a_url_are_refused_and_not_repeated(tmp_path, url):
    with pytest.raises(InputError, match="credentials") as caught:
        read(tmp_path, jobs(f"{{name: a, input: '{url}'}}"), ["s3://lab", "https://lab"])
    assert "secret" not in str(caught.value)


def test_inputs_may_lie_in_further_roots(tmp_path):
    text = jobs("{name: a, input: 's3://lab/recs/a'}", "{name: b, input: /data/b}")
    found = read(tmp_path, text, ["s3://lab/recs", "/data"])
    assert [job.inputs[0] for job in found] == ["s3://lab/recs/a", "/data/b"]
    with pytest.raises(InputError, match="is outside"):
        read(tmp_path, jobs("{name: a, input: 's3://lab/recsother/a'}"), ["s3://lab/recs"])
