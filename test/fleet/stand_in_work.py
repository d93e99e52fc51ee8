"""Work of a moment for tests, in place of an estimator's."""

import sys
from pathlib import Path

from autourdf_ros.fleet.jobs.job import Job
from autourdf_ros.fleet.jobs.places import digest
from autourdf_ros.fleet.worker_job import payload, perform

WRITES = "import os, sys; os.mkdir(sys.argv[1]); open(sys.argv[1] + '/reconstruction.json', 'w')"
GOOD = WRITES + """.write('{"verdict": "trusted"}'); print('hello')"""


def command(code):
    """What a job runs: Python code, whose argument is the folder to write."""
    return lambda job, inputs, out: [sys.executable, "-c", code, str(out)]


def task(store, tmp_path, name="arm", **changes):
    """A job with one input, as a worker gets it."""
    at = Path(tmp_path / "recording.txt")
    at.write_text(name)
    job = Job(name, "reconstruct", (str(at),))
    return payload(job, {str(at): digest(str(at))}, store, "run1") | changes


def good(given):
    """What a worker calls."""
    return perform(given, command(GOOD))
