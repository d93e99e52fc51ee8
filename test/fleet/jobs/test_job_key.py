"""A job's key is that of its inputs, its options and the code: of nothing else."""

from dataclasses import replace

import pytest

from autourdf_ros.fleet.jobs import job as module
from autourdf_ros.fleet.jobs.job import Job

JOB = Job("arm", "reconstruct", ("/a",), {"points": 900}, {"limits": "/l"})
DIGESTS = {"/a": "1", "/b": "1", "/l": "2"}


def test_where_an_input_lies_and_whose_it_is_does_not_matter():
    same = replace(JOB, inputs=("/b",), memory=5, robot="r")
    assert same.key(DIGESTS) == JOB.key(DIGESTS)


@pytest.mark.parametrize(
    "other",
    [
        replace(JOB, name="leg"),  # the robot's name in the URDF
        replace(JOB, options={"points": 901}),
        replace(JOB, files={}),
        replace(JOB, estimator="mechanism", options={}),
    ],
)
def test_what_changes_a_result_changes_the_key(other):
    assert other.key(DIGESTS) != JOB.key(DIGESTS)


def test_content_and_code_change_the_key(monkeypatch):
    before = JOB.key(DIGESTS)
    assert JOB.key({**DIGESTS, "/a": "3"}) != before
    assert JOB.key({**DIGESTS, "/l": "3"}) != before
    monkeypatch.setattr(module, "code_digest", lambda: "another")
    assert JOB.key(DIGESTS) != before


def test_a_job_travels_as_plain_values():
    assert Job.from_dict(JOB.to_dict()) == JOB
