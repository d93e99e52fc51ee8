import numpy as np

from autourdf_ros.estimation.motion.fitting.normal_system import NormalSystem


def test_a_frame_that_shows_nothing_keeps_its_values_and_changes_no_other():
    rng = np.random.default_rng(0)
    own, shared = rng.normal(size=(2, 3, 6, 2)), rng.normal(size=(2, 3, 6, 4))
    own[1, ..., 1] = 0.0  # of the second frame's second unknown

    def solved(frames):
        system = NormalSystem.empty(own[frames], shared[frames])
        for place, f in enumerate(frames):
            pull = np.ones((3, 6))
            system.add(place, own[f], shared[f], np.tile(np.eye(6), (3, 1, 1)), pull)
        return system.solve(still=False)

    _, steps = solved([0, 1])
    assert np.isfinite(steps).all() and abs(steps[1, 1]) < 1e-9
    own[1] = shared[1] = 0.0
    (alone, own_alone), (both, own_both) = solved([0]), solved([0, 1])
    np.testing.assert_allclose(both, alone, atol=1e-6)
    np.testing.assert_allclose(own_both[0], own_alone[0], atol=1e-6)
    assert (own_both[1] == 0).all()
