"""Tests of what is checked before a payload is written."""

import pytest
from sample_results import write_sample

from autourdf_ros.errors import InputError
from autourdf_ros.workflows.payloads.payload_result import PayloadChoices, payload_to_folder


def refused(tmp_path, folder, link):
    out = tmp_path / "payload"
    with pytest.raises(InputError) as caught:
        payload_to_folder(None, None, out, PayloadChoices(result=(folder, link)))
    assert not out.exists()
    return str(caught.value)


def test_a_folder_that_is_no_result_is_named_before_anything_is_written(tmp_path):
    assert "nothing_here" in refused(tmp_path, tmp_path / "nothing_here", "tool")


@pytest.mark.slow
def test_a_link_that_a_result_lacks_is_named_before_anything_is_written(tmp_path):
    folder = write_sample(tmp_path).folder
    assert "has no link 'nosuch'" in refused(tmp_path, folder, "nosuch")
