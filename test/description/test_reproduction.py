"""The command line in the report, read by the command's own parser, gives the options again."""

import argparse
import shlex
from dataclasses import asdict

import pytest
from hypothesis import given
from hypothesis import strategies as st

from autourdf_ros.commands import reconstruct
from autourdf_ros.description.names import legal_names
from autourdf_ros.description.reproduction import command_line
from autourdf_ros.kinematics.reconstruction import ReconstructionOptions

OPTIONS = st.builds(
    ReconstructionOptions,
    links=st.none() | st.integers(2, 30),
    use_readings=st.booleans(),
    points=st.integers(500, 9000),
)


def document(source, name, options):
    return {"input": {"source": source}, "name": name, "options": asdict(options)}


@given(OPTIONS, st.sampled_from(["/data/my arm", "it's; rm -rf $HOME", "a.mcap"]), st.booleans())
def test_it_is_understood(options, source, renamed):
    (named,) = legal_names([source.rsplit("/", 1)[-1].removesuffix(".mcap")]).values()
    name = "other" if renamed else named
    words = shlex.split(command_line(document(source, name, options)))
    assert words[:2] == ["autourdf", "reconstruct"]
    parser = argparse.ArgumentParser()
    reconstruct.add_arguments(parser)
    args = parser.parse_args(words[2:])
    assert str(args.input) == source
    assert args.name == ("other" if renamed else None)
    assert reconstruct._options(args) == options


@pytest.mark.parametrize("text", ["autourdf reconstruct r -o OUT"])
def test_what_is_usual_is_not_said(text):
    assert command_line(document("r", "r", ReconstructionOptions())) == text


def test_a_recording_in_memory_has_none():
    assert command_line(document(None, "r", ReconstructionOptions())) is None
