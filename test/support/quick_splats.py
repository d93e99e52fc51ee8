"""A small arm's result folder with few splats, fitted in seconds."""

from robot_images import robot_images
from sample_results import write_small_arm

from autourdf_ros.estimation.appearance.appearance_options import AppearanceOptions
from autourdf_ros.estimation.appearance.axis_check import AxisCheckOptions
from autourdf_ros.estimation.appearance.fitting.fit_options import SplatFitOptions
from autourdf_ros.workflows.appearance.splat_result import splat_result

QUICK = "quick_splats"
"""Name for `copy_of`."""
OPTIONS = AppearanceOptions(
    splats=900, good=2.0, fit=SplatFitOptions(20, 20), axes=AxisCheckOptions(0.0)
)


def write_quick_splats(folder):
    """Write the folder."""
    write_small_arm(folder)
    splat_result(folder, robot_images(folder, 8, size=48), OPTIONS)
