"""How the grades of joints look: a colour, and a sign for those who cannot tell the colours."""

from __future__ import annotations

from dataclasses import dataclass

from autourdf_ros.model.joint_grading import Grade


@dataclass(frozen=True)
class Look:
    """color: as in HTML."""

    color: str
    sign: str

    @property
    def rgb(self) -> tuple[int, int, int]:
        """Each in 0 to 255."""
        red, green, blue = bytes.fromhex(self.color.removeprefix("#"))
        return red, green, blue


LOOKS: dict[Grade, Look] = {
    "good": Look("#2a9d5c", "●"),
    "fair": Look("#d98a00", "◆"),
    "doubtful": Look("#c8323c", "▲"),
}
