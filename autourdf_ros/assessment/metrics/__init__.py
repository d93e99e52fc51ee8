"""Compute the papers' metrics of an estimate against the truth."""

from autourdf_ros.assessment.metrics.evaluation import Evaluation, JointError, Summary, evaluate
from autourdf_ros.assessment.metrics.truth.truth import TrueModel, load_truth

__all__ = ["Evaluation", "JointError", "Summary", "TrueModel", "evaluate", "load_truth"]
