"""Tests of payloads that were weighed, once the masses of links are found from efforts."""

from types import SimpleNamespace

import numpy as np
import pytest
from effort_arm import ARM

from autourdf_ros.data.efforts.effort_recording import EffortRecording
from autourdf_ros.errors import InputError
from autourdf_ros.estimation.inertia.links.link_options import LinkOptions
from autourdf_ros.model.inertial.inertial_parameters import parameters_from
from autourdf_ros.model.layers.inertia import LinkInertia
from autourdf_ros.workflows import link_inertia
from autourdf_ros.workflows.excitation_plan import _shown
from autourdf_ros.workflows.link_inertia import _links

OWN = parameters_from(2.0, np.zeros(3), 0.02 * np.eye(3))


def test_a_weighed_payload_keeps_what_its_weighing_found():
    tensor = 0.01 * np.eye(3)
    weighed = LinkInertia(7.0, np.zeros(3), tensor, 1e-8 * np.eye(10), payload=True)
    guessed = LinkInertia(7.0, np.zeros(3), tensor, None, payload=True)
    names = ("arm", "tool", "guess")
    found = SimpleNamespace(
        model=SimpleNamespace(links=names),
        link_parameters=[OWN, OWN, OWN],
        posterior=SimpleNamespace(covariance=np.eye(30)),
    )
    before = SimpleNamespace(links={"tool": weighed, "guess": guessed})
    model = SimpleNamespace(inertia=before, tree=SimpleNamespace(links=names))
    links = _links(found, model)
    assert links["tool"] is weighed
    assert links["arm"].mass == links["guess"].mass == 2.0
    assert links["guess"].payload


def test_a_smaller_motion_is_expected_to_show_less():
    model = SimpleNamespace(regressor=lambda motion: motion.accelerations)
    known = SimpleNamespace(information=lambda rows, records: float((rows**2).sum() * records))
    times = np.linspace(0, 10, 1001)

    def planned(share):
        wave = share * np.sin(times)[:, None]
        return _shown(model, known, SimpleNamespace(
            times=times, duration=10.0, positions=wave, velocities=wave, accelerations=wave
        ))  # fmt: skip

    np.testing.assert_allclose(planned(0.5), planned(1.0) / 4)


def test_angles_of_joints_that_turn_without_end_are_no_degrees(tmp_path, monkeypatch):
    """Several turns of such a joint were refused as degrees, and a driver's jump was a motion."""
    (tmp_path / "arm.urdf").write_text(ARM.replace('j5" type="revolute', 'j5" type="continuous'))
    times = np.linspace(0, 20, 400)
    turns = np.outer(times, [0.1, 0.1, 0.1, 0.1, 0.1, 2.0])
    within = turns.copy()
    within[:, 5] = (turns[:, 5] + np.pi) % (2 * np.pi) - np.pi
    checked = []

    def stop(used, lower, upper, _):
        checked.append((used.positions, upper))
        raise InputError("enough")

    monkeypatch.setattr(link_inertia, "check_efforts", stop)
    for positions in (turns, within):
        names = tuple(f"j{i}" for i in range(6))
        recording = EffortRecording(names, times, positions, np.sin(turns))
        with pytest.raises(InputError, match="enough"):
            link_inertia.identify_robot(
                tmp_path / "arm.urdf", recording, SimpleNamespace(solids=None), LinkOptions()
            )
        np.testing.assert_allclose(checked[-1][0], turns, atol=1e-9)
        assert checked[-1][1][5] == np.inf and np.isfinite(checked[-1][1][:5]).all()
