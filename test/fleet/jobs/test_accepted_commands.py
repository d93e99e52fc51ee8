"""The options that jobs may have are options that their commands have."""

import argparse
import importlib
from pathlib import Path

import pytest

from autourdf_ros.cli.main import COMMANDS as ALL
from autourdf_ros.fleet.jobs.accepted_commands import COMMANDS, arguments


@pytest.mark.parametrize("name", COMMANDS)
def test_a_command_has_the_options_and_reads_the_files(name):
    parser = argparse.ArgumentParser()
    importlib.import_module(f"autourdf_ros.cli.{ALL[name]}.{name}").add_arguments(parser)
    of = {text: one for one in parser._actions for text in one.option_strings}
    for option in COMMANDS[name].options:
        assert of[f"--{option}"].type is not Path, option
        assert of[f"--{option}"].nargs in (None, 0), option
    assert all(of[f"--{option}"].type is Path for option in COMMANDS[name].files)
    positional = [one for one in parser._actions if not one.option_strings]
    assert len(positional) == COMMANDS[name].inputs


def test_no_value_is_read_as_an_option():
    given = arguments({"name": "--out=/etc", "usd": True, "split": False, "points": 900})
    assert given == ["--name=--out=/etc", "--points=900", "--usd"]
