"""What `autourdf mechanism` says of a result, and of input that is not there."""

from pathlib import Path

import pytest

from autourdf_ros.cli.main import main
from autourdf_ros.cli.video.mechanism import summary

DOCUMENT = {
    "joints": [
        {"name": "rail", "type": "prismatic", "parent": "world", "child": "cart"}
        | {"observed": [-0.1, 0.2]}
    ],
    "verdict": "doubtful",
    "warnings": ["the rail is bent"],
    "mechanism": {},
}


def test_a_video_that_does_not_exist_is_named_before_its_shapes(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["mechanism", str(tmp_path / "none"), "-o", str(tmp_path / "out")]) == 2
    said = capsys.readouterr().err
    assert "none: does not exist" in said and "shapes" not in said


def test_doubts_of_the_dynamics_are_printed() -> None:
    mass = {"name": "mass of cart", "value": 2.0, "lower": 1.9, "upper": 2.1, "unit": "kg"}
    dynamics = {"parameters": [mass | {"learned": 0.9}], "warnings": ["forces come late"]}
    text = summary(DOCUMENT | {"mechanism": {"dynamics": dynamics}}, "")
    assert text.splitlines()[0] == "rail: prismatic, world -> cart, -100.0 .. 200.0 mm"
    assert "mass of cart: 2 (1.9 .. 2.1) kg" in text
    assert text.endswith("  ! the rail is bent\n  ! forces come late")


def test_a_reason_for_no_dynamics_is_printed() -> None:
    text = summary(DOCUMENT, "too short")
    assert "no dynamics: too short" in text and text.endswith("  ! the rail is bent")
