"""Corrupted files of every kind are read, or refused by an error that names them."""

import re

import pytest
from fuzzing import fuzz
from samples import PARSERS

from autourdf_ros.errors import InputError

MOST_MEMORY = 64  # MiB, for files of a few kB


@pytest.mark.slow
@pytest.mark.parametrize("parser", PARSERS)
def test_a_corrupted_file_is_read_or_refused_by_name(parser, tmp_path):
    outcome = fuzz(PARSERS[parser](tmp_path), cases=200, seed=7)
    assert outcome.faults == []
    assert outcome.cases == 200
    assert outcome.memory < MOST_MEMORY


def test_a_topic_without_a_name_is_named(tmp_path):
    """About one case in a million."""
    sample = PARSERS["metadata"](tmp_path)
    ((file, content),) = sample.files
    file.write_bytes(re.sub(rb"name: /points\n", b"name:\n", content))
    with pytest.raises(InputError, match=r"made: has a topic None of type '.*'; accepted are"):
        sample.read()
