import pytest
from synthetic_robot import moving_recording

from autourdf_ros.estimation.motion.reconstruction import ReconstructionOptions
from autourdf_ros.estimation.motion.registration.preparation import prepare
from autourdf_ros.estimation.motion.structure.iterations import iterate_estimate
from autourdf_ros.estimation.motion.structure.structure_search import initial_estimate
from autourdf_ros.progress import silent
from autourdf_ros.stopwatch import Stopwatch


@pytest.fixture(scope="package")
def two_boxes():
    """What is known of two boxes on a base, the candidate without readings, and its motion."""
    options = ReconstructionOptions(use_readings=False)
    recording = moving_recording(frames=5, sway=0.1)
    problem, first = initial_estimate(
        prepare(recording, options.points, report=lambda _: None), options, silent
    )
    return problem, *iterate_estimate(problem, first, Stopwatch(), silent)
