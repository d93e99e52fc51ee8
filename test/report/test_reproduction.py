"""The command line in the report, read by the command's own parser, gives the options again."""

import argparse
import shlex
from dataclasses import asdict

from hypothesis import given
from hypothesis import strategies as st

from autourdf_ros.cli.model import assemble, reconstruct
from autourdf_ros.cli.shape_arguments import shape_options
from autourdf_ros.estimation.parts.assembly_options import AssemblyOptions
from autourdf_ros.model.names import legal_names
from autourdf_ros.report.reproduction import command_line

FLAGS = ("--no-readings", "--show-shapes", "--usd")
VALUES = {
    "--links": st.integers(2, 30),
    "--points": st.integers(500, 9000),
    "--limits": st.sampled_from(["my robot.yaml", "/data/limits.yaml"]),
    "--prior": st.sampled_from(["/data/last month", "arm.urdf"]),
    "--density": st.floats(1e-3, 1e5),
    "--mass": st.floats(1e-3, 1e5),
    "--triangles": st.integers(100, 10**6),
    "--shapes": st.sampled_from(["mesh", "box", "cylinder", "capsule", "sphere"]),
    "--method": st.sampled_from(["engine", "autourdf"]),
    "--registration": st.sampled_from(["graph", "neural"]),
    "--clusters": st.integers(2, 500),
    "--rates": st.tuples(st.floats(1e-6, 1e-2), st.floats(1e-6, 1e-2)),
    "--device": st.sampled_from(["cpu", "cuda", "cuda:1"]),
    "--seed": st.integers(0, 2**31),
    "--collision": st.sampled_from(["auto", "hull", "coacd"]),
}
SOURCES = st.sampled_from(["/data/my arm", "it's; rm -rf $HOME", "a.mcap"])


def parsed(words):
    parser = argparse.ArgumentParser()
    reconstruct.add_arguments(parser)
    return parser.parse_args(words)


def document(args):
    """What to_document writes of these arguments."""
    named = args.name or legal_names([args.input.stem])[args.input.stem]
    limits = None if args.limits is None else str(args.limits)
    model = shape_options(args, args.triangles)
    return {
        "input": {"source": str(args.input)},
        "name": named,
        "options": asdict(reconstruct.engine_options(args)) | {"limits": limits, "usd": args.usd},
        "assumed": asdict(model) | {"density": 77.0 if args.mass else model.density},
    }


@given(st.sets(st.sampled_from(FLAGS)), st.fixed_dictionaries({}, optional=VALUES), SOURCES)
def test_every_option_that_was_given_is_in_it(flags, values, source):
    if "--mass" in values:
        values.pop("--density", None)
    given = []
    for option, value in values.items():
        given += [option, *map(str, value if isinstance(value, tuple) else [value])]
    args = parsed([source, "-o", "OUT", *flags, *given])
    words = shlex.split(command_line(document(args)))
    assert words[:2] == ["autourdf", "reconstruct"]
    again = parsed(words[2:])
    assert (again.input, again.name) == (args.input, args.name)
    assert reconstruct.engine_options(again) == reconstruct.engine_options(args)
    assert shape_options(again, again.triangles) == shape_options(args, args.triangles)
    assert (again.limits, again.usd) == (args.limits, args.usd)


def test_no_option_is_forgotten():
    """A new option of the command has to be thought of here and in `command_line`."""
    found = {"input", "out", "name", "no_readings", "show_shapes", "usd"}
    found |= {option.strip("-") for option in VALUES}
    assert set(vars(parsed(["r", "-o", "OUT"]))) == found | {"progress"}


def test_the_name_is_reported_where_it_is_not_the_recordings():
    words = shlex.split(command_line(document(parsed(["r", "-o", "OUT", "--name", "other"]))))
    assert words[-2:] == ["--name", "other"]


def test_what_is_default_is_not_said():
    assert command_line(document(parsed(["r", "-o", "OUT"]))) == "autourdf reconstruct r -o OUT"


def test_a_recording_in_memory_has_none():
    assert command_line(document(parsed(["r", "-o", "OUT"])) | {"input": {"source": None}}) is None


def test_a_parts_result_gives_its_options_again():
    given = [
        "--method",
        "mcts",
        "--root",
        "base link",
        "--seed",
        "3",
        "--unit",
        "mm",
        "--mass",
        "4",
    ]
    parser = argparse.ArgumentParser()
    assemble.add_arguments(parser)
    args = parser.parse_args(["/data/my parts", "-o", "OUT", *given, "--split", "--usd"])
    content = {
        "input": {"source": "/data/my parts"},
        "name": "my_parts",
        "options": asdict(AssemblyOptions("mcts", "base link", 3))
        | {"reading": {"unit": "mm", "up": None, "split": True}, "limits": None, "usd": True},
        "assumed": asdict(shape_options(args)),
        "assembly": {},
    }
    words = shlex.split(command_line(content))
    assert words[:2] == ["autourdf", "assemble"]
    assert parser.parse_args(words[2:]) == args
