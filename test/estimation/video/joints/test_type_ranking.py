"""Which type of joint is taken, by scores and by the size of what is left."""

import pytest

from autourdf_ros.estimation.video.joints.fitting.pair_likelihood import TypeFit, _ranked


def fitted(kind, score, excess):
    return TypeFit(kind, score, 0.0, object(), 1.0, excess)


@pytest.mark.parametrize(
    ("revolute", "taken"),
    [
        (fitted("revolute", 2022, 4.3), "revolute"),  # a door seen edge-on: errors are understated
        (fitted("revolute", 2300, 4.3), "planar"),
        (fitted("revolute", 2300, 2.0), "revolute"),  # what is left may be noise
    ],
)
def test_errors_beyond_noise_do_not_make_a_freer_joint_of_a_likelier_one(revolute, taken):
    planar, free = fitted("planar", 2113, 0.8), TypeFit("free", 3600, 0.0, None)
    assert _ranked([planar, revolute, free], 3.0)[0].kind == taken
