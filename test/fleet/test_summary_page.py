"""The summary of a batch says what became of every job, and leads to the reports."""

import json
import re

from autourdf_ros.fleet.result_store import ResultStore
from autourdf_ros.fleet.summary_page import write_summary

DONE = {
    "name": "arm",
    "state": "done",
    "verdict": "trusted",
    "folder": "results/arm-1",
    "seconds": 12.25,
    "cpu_seconds": 20.0,
    "peak_memory": 1 << 29,
    "bytes_in": 2_000_000,
    "bytes_out": 1_000_000,
}


def test_every_job_is_on_the_page_with_its_report(tmp_path):
    records = [DONE, {"name": "<leg>", "state": "set aside", "error": "killed"}]
    write_summary(ResultStore(str(tmp_path)), records)
    page = (tmp_path / "summary.html").read_text()
    assert re.findall(r'href="(.*?)"', page) == ["results/arm-1/report.html"]
    assert 'data-value="12.25">12.2<' in page and ">512<" in page
    assert "&lt;leg&gt;" in page and "killed" in page and "http" not in page
    assert json.loads((tmp_path / "summary.json").read_text())["jobs"] == records
