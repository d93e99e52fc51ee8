"""`autourdf forecast`."""

from pathlib import Path

import pytest
from hinged_video import hinged_video
from swinging_video import QUICK, swinging_values

from autourdf_ros.cli.main import main
from autourdf_ros.model.result_files import POSTERIOR
from autourdf_ros.workflows.mechanisms.mechanism_dynamics import add_dynamics
from autourdf_ros.workflows.mechanisms.mechanism_result import WrittenMechanism, write_mechanism

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def result(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A result folder with dynamics."""
    out = tmp_path_factory.mktemp("result") / "out"
    write_mechanism(hinged_video(swinging_values(60)), out, WrittenMechanism("cart-pole"))
    add_dynamics(out, options=QUICK)
    return out


def test_states_and_frames_are_written(result: Path, tmp_path: Path) -> None:
    assert main(["forecast", str(result), "--seconds", "0.5", "-o", str(tmp_path / "a")]) == 0
    assert len(list((tmp_path / "a" / "frames").glob("*.png"))) == 15
    assert main(["forecast", str(result), "--seconds", "0.5", "--samples", "3"]) == 0


@pytest.mark.parametrize("options", [["--seconds", "-1"], ["--samples", "0"]])
def test_unusable_options_end_with_2(result: Path, options: list[str]) -> None:
    try:
        code = main(["forecast", str(result), *options])
    except SystemExit as end:
        code = int(end.code or 0)
    assert code == 2


@pytest.mark.parametrize(
    "before, after",
    [
        ('"format"', '"kind"'),
        ("<mujoco ", "<mujocs "),
        ("</worldbody>", '</worldbody><include file="/etc/passwd"/>'),
        ('"mean": [', '"mean": [null, '),
        ('"kind": "mass"', '"kind": "colour"'),
        (
            "{",
            "[",
        ),
    ],
)
def test_a_damaged_posterior_ends_with_2(
    result: Path, before: str, after: str, capsys: pytest.CaptureFixture[str]
) -> None:
    path = result / POSTERIOR
    text = path.read_text()
    changed = text.replace(before, after.replace('"', '\\"') if "include" in after else after, 1)
    assert changed != text
    try:
        path.write_text(changed)
        assert main(["forecast", str(result)]) == 2
        assert len(capsys.readouterr().err.strip().splitlines()) == 1
    finally:
        path.write_text(text)


def test_another_result_ends_with_2(tmp_path: Path) -> None:
    assert main(["forecast", str(tmp_path)]) == 2
