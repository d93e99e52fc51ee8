"""The style of joint grades: a colour, and a sign for those who do not see colours apart."""

from __future__ import annotations

from dataclasses import dataclass

from autourdf_ros.model.joint_grading import Grade


@dataclass(frozen=True)
class GradeStyle:
    """color: as in HTML."""

    color: str
    sign: str

    @property
    def rgb(self) -> tuple[int, int, int]:
        """Each in 0 to 255."""
        red, green, blue = bytes.fromhex(self.color.removeprefix("#"))
        return red, green, blue


GRADE_STYLES: dict[Grade, GradeStyle] = {
    "good": GradeStyle("#2a9d5c", "●"),
    "fair": GradeStyle("#d98a00", "◆"),
    "doubtful": GradeStyle("#c8323c", "▲"),
}
