"""A table that grows while something is measured."""

import pytest

from autourdf_ros.data.wrenches.record_file import RecordFile
from autourdf_ros.data.wrenches.wrench_table import COLUMNS, read_wrench_table
from autourdf_ros.errors import InputError

POSE = (0.1, 0.2, 0.3, 0.0, 0.0, 0.0, 1.0)


def test_what_was_added_can_be_read_before_the_file_ends(tmp_path):
    file = RecordFile(tmp_path / "records.csv", COLUMNS)
    for number in range(9):
        file.add(1.7e9 + 0.002 * number, (*POSE, 1.0, 2.0, 3.0, 0.1, 0.2, 0.1 + number))
    file.flush()
    found = read_wrench_table(file.path)
    assert file.count == len(found.times) == 9 and file.failure is None
    assert found.wrenches[-1].tolist() == [1.0, 2.0, 3.0, 0.1, 0.2, 8.1]
    assert found.times[1] - found.times[0] == pytest.approx(0.002, abs=1e-6)
    file.close()


def test_no_file_is_overwritten(tmp_path):
    (tmp_path / "records.csv").write_text("mine")
    with pytest.raises(InputError, match=r"records\.csv: cannot be written: File exists"):
        RecordFile(tmp_path / "records.csv", COLUMNS)
    assert (tmp_path / "records.csv").read_text() == "mine"


def test_a_disk_that_fails_is_a_failure_and_no_error(tmp_path):
    file = RecordFile(tmp_path / "records.csv", ["time", "a"])
    file._file.close()
    file._file = open("/dev/full", "w")  # noqa: SIM115, PTH123
    file.add(0.0, [1.0])
    file.flush()
    assert "No space left on device" in file.failure
    file.add(1.0, [1.0])
    assert file.count == 1
