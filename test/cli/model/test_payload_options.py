"""Options of `autourdf payload` and `inertia` that would be ignored are refused by name."""

import pytest

from autourdf_ros.cli import main as command
from autourdf_ros.cli.model import inertia, payload


def parsed(module, *texts):
    parser = command.argparse.ArgumentParser()
    module.add_arguments(parser)
    return parser.parse_args(texts)


@pytest.mark.parametrize(
    ("options", "complaint"),
    [
        (["--topic", "/x"], "--topic: w.csv is a table"),
        (["--world", "map"], "--world: w.csv is a table"),
        (["--materials", "--method", "hps"], "--materials: --method is hps"),
        (["--frame", ""], "--frame: is empty"),
        (["--urdf", "arm.urdf", "--link", "hand", "--gain", "0.02"], "--gain: is of a sensor"),
        (["--urdf", "arm.urdf", "--link", "hand", "--reaction"], "--reaction: is of a sensor"),
    ],
)
def test_options_of_payload_that_would_be_ignored_are_refused(tmp_path, options, complaint):
    args = parsed(payload, "cup.ply", "w.csv", "-o", str(tmp_path / "out"), *options)
    with pytest.raises(command.AutourdfError, match=complaint):
        payload.run(args)


@pytest.mark.parametrize(
    ("options", "complaint"),
    [
        (["--topic", "/x"], "--topic: e.csv is a table"),
        (["--duration", "3"], "--duration: is of --plan"),
        (["--limits", "l.yaml"], "--limits: is of --plan"),
        (["--obstacles", "o.yaml"], "--obstacles: is of --plan"),
        (["--density", "1e9"], "--density: is 1e\\+09; accepted is 20 to 20000"),
    ],
)
def test_options_of_inertia_that_would_be_ignored_are_refused(tmp_path, options, complaint):
    (tmp_path / "reconstruction.json").write_text("{}")
    args = parsed(inertia, str(tmp_path), "e.csv", *options)
    with pytest.raises(command.AutourdfError, match=complaint):
        inertia._identify(args)
