"""A simulated mechanism that efforts drive."""

from pathlib import Path

import pytest

from autourdf_ros.errors import InputError
from autourdf_ros.simulation.live.live_mechanism import EffortDrives, LiveMechanism

XML = """<mujoco><option timestep="0.001" integrator="RK4"/><worldbody><body name="cart">
<joint name="rail" type="slide" axis="1 0 0"/><geom type="box" size=".1 .05 .05" mass="2"
contype="0" conaffinity="0"/><body name="pole"><joint name="hinge" axis="0 1 0"/>
<geom type="sphere" size=".01" mass="1e-6" contype="0" conaffinity="0"/></body></body>
</worldbody></mujoco>"""


@pytest.fixture
def file(tmp_path: Path) -> Path:
    (tmp_path / "cart.xml").write_text(XML)
    return tmp_path / "cart.xml"


def test_an_effort_acts_within_its_limit_until_it_is_too_old(file: Path) -> None:
    mechanism = LiveMechanism(file, EffortDrives(("rail",), 4.0, 0.1), {"hinge": 1.0})
    assert mechanism.readings()[0] == {"rail": 0.0, "hinge": 1.0}
    mechanism.command([100.0])
    assert mechanism.efforts == {"rail": 4.0}
    for _ in range(10):
        mechanism.advance(0.0303)  # no whole steps
    assert mechanism.time == pytest.approx(0.303, abs=6e-4)
    assert mechanism.efforts == {"rail": 0.0}
    # 2 m/s² for 0.1 s, in steps that begin before it ends.
    assert mechanism.readings()[1]["rail"] == pytest.approx(0.2, rel=0.02)


def test_encoders_have_noise(file: Path) -> None:
    mechanism = LiveMechanism(file, EffortDrives(("rail",), noise=1e-3), {})
    reads = {mechanism.readings()[0]["rail"] for _ in range(5)}
    assert len(reads) == 5 and max(map(abs, reads)) < 0.01


def test_unusable_files_joints_and_commands_are_named(file: Path, tmp_path: Path) -> None:
    (tmp_path / "none.xml").write_text("<mujoco><wrong/></mujoco>")
    with pytest.raises(InputError, match="MuJoCo cannot read it"):
        LiveMechanism(tmp_path / "none.xml", EffortDrives(("rail",)), {})
    for drives, start in ((EffortDrives(("track",)), {}), (EffortDrives(("rail",)), {"track": 1})):
        with pytest.raises(InputError, match="no joint 'track'; accepted are rail, hinge"):
            LiveMechanism(file, drives, start)
    with pytest.raises(InputError, match="one or more of them driven"):
        LiveMechanism(file, EffortDrives(()), {})
    with pytest.raises(InputError, match="effort and timeout"):
        EffortDrives(("rail",), effort=0.0)
    mechanism = LiveMechanism(file, EffortDrives(("rail",)), {})
    for wrong in ([], [1.0, 2.0], [float("nan")]):
        with pytest.raises(InputError, match="finite numbers for rail"):
            mechanism.command(wrong)
    assert mechanism.efforts == {"rail": 0.0}
