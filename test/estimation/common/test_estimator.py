"""What the estimators of this package give: a model with layers more, and how they got there."""

from dataclasses import replace

from synthetic_robot import arm_reconstruction

from autourdf_ros.estimation.common.estimator import Estimate, Estimator, provenance
from autourdf_ros.estimation.motion import pipeline
from autourdf_ros.estimation.motion.reconstruction import Reconstruction, ReconstructionOptions
from autourdf_ros.model.layers.layer import Verdict
from autourdf_ros.progress import silent

MADE = replace(
    arm_reconstruction(count=20, verdict="doubtful"), provenance=provenance("motion/engine", "ab")
)


def test_a_reconstruction_is_an_estimate_of_kinematics_and_shape():
    estimate = MADE.estimate
    assert estimate.trace is MADE and estimate.warnings == MADE.warnings
    assert list(estimate.model.layers) == ["kinematics", "shape"]
    for layer in estimate.model.layers.values():
        assert layer.provenance == MADE.provenance and layer.rests_on == {}
        assert layer.verdict == Verdict("doubtful", MADE.warnings)
    assert estimate.model.shape.noise == MADE.noise
    assert estimate.model.digests == MADE.model.digests


def test_motion_is_an_estimator_that_needs_no_model(monkeypatch):
    seen = []

    def reconstruct(recording, options, progress):
        seen.append((recording, options, progress))
        return MADE

    monkeypatch.setattr(pipeline, "reconstruct", reconstruct)
    estimator: Estimator = pipeline.estimate
    options = ReconstructionOptions(links=3)
    found: Estimate[Reconstruction] = estimator("a recording", None, options, silent)
    assert found.trace is MADE and seen == [("a recording", options, silent)]


def test_the_origin_says_when():
    assert MADE.provenance.created.endswith("+00:00") and MADE.provenance.data_digest == "ab"
