"""Bins of the drift: bounded, judged by their deviations, and on disk."""

import json

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from autourdf_ros.errors import InputError
from autourdf_ros.monitoring.change import Quantity
from autourdf_ros.monitoring.continual.drift import SIGMAS, DriftBin, bounded, drifts
from autourdf_ros.monitoring.continual.drift_file import (
    drift_entry,
    drift_table,
    read_drift,
    read_or_set_aside,
    write_drift,
)
from autourdf_ros.report.figures.drift_figure import draw_drift

LIFT = ("joint_zero", "lift", "offset")
PAN = ("joint_axis", "pan", "line shift 1")


def hourly(model, hour, value=0.0, std=1e-3, key=LIFT, observations=30):
    start = 3600.0 * hour
    return DriftBin(
        model, start, start + 3500.0, observations, {key: Quantity(key[2], value, std, "rad")}
    )


@given(
    st.lists(st.sampled_from(["0001", "0002"]), min_size=1, max_size=60),
    st.integers(1, 12),
)
def test_however_long_it_watches_there_are_so_many_bins(models, most):
    bins = ()
    for hour, model in enumerate(models):
        bins = bounded((*bins, hourly(model, hour, float(hour))), most)
        assert len(bins) <= most
    assert bins[-1].model == models[-1] and bins[-1].end == hourly("", len(models) - 1).end
    assert [one.start for one in bins] == sorted(one.start for one in bins)
    if len(set(models)) == 1:  # what is merged is not lost
        assert bins[0].start == 0.0 and sum(one.observations for one in bins) == 30 * len(models)
        means = [one.observations * one.quantities[LIFT].value for one in bins]
        assert sum(means) == pytest.approx(30 * sum(range(len(models))))
        # Errors that all share do not average out.
        assert all(one.quantities[LIFT].std == pytest.approx(1e-3) for one in bins)


def test_the_oldest_hours_are_merged_first():
    bins = bounded([hourly("0001", hour) for hour in range(5)], 4)
    assert [one.observations for one in bins] == [60, 30, 30, 30]


def test_only_significant_drifts_of_one_model_are_reported():
    just = SIGMAS * np.sqrt(2) * 1e-3
    own = [hourly("0001", 0), hourly("0001", 1, 1.0), hourly("0001", 2, 1.01 * just)]
    (drift,) = drifts(own)
    assert drift.key == LIFT and drift.change.value == pytest.approx(1.01 * just)
    assert drift.summary == (
        "joint_zero lift drifted, offset: by 0.25 ± 0.08° within 3.0 hours of model 0001"
    )
    assert not drifts([hourly("0001", 0), hourly("0001", 2, 0.99 * just)])
    assert not drifts([hourly("0001", 0), hourly("0002", 2, 1.0)])
    assert not drifts([hourly("0001", 0), hourly("0001", 2, 1.0, key=PAN)]) and not drifts([])


def test_a_file_is_what_was_written(tmp_path):
    path = tmp_path / "drift.json"
    assert read_drift(path) == ()
    bins = (hourly("0001", 0, 0.25), hourly("0002", 1, -0.5, key=PAN))
    write_drift(path, bins)
    assert read_drift(path) == bins
    assert [file.name for file in tmp_path.iterdir()] == ["drift.json"]
    with pytest.raises(InputError, match=r"nowhere.*cannot be written"):
        write_drift(tmp_path / "nowhere" / "drift.json", bins)


@pytest.mark.parametrize(
    "content",
    ["", "{", "[]", "{}", '{"format": "another", "version": 1}', "\xff", "bins"],
)
def test_a_damaged_file_is_reported_and_set_aside(content, tmp_path):
    path = tmp_path / "drift.json"
    if content == "bins":
        write_drift(path, [hourly("0001", 0)])
        content = path.read_text().replace("[0.0]", "[]")
    path.write_bytes(content.encode("latin-1"))
    bins, problem = read_or_set_aside(path)
    assert bins == () and str(path) in problem and "is damaged" in problem
    assert not path.exists() and (tmp_path / "drift.json.damaged").exists()


def test_one_of_another_version_is_named_and_set_aside(tmp_path):
    path = tmp_path / "drift.json"
    path.write_text(json.dumps(drift_table([hourly("0001", 0)]) | {"version": 2}))
    bins, problem = read_or_set_aside(path)
    assert bins == () and "drift.json: has version 2; accepted is 1" in problem
    assert (tmp_path / "drift.json.damaged").exists()


def test_the_figure_shows_models_with_other_joints(tmp_path):
    bins = [hourly("0001", 0), hourly("0001", 30, 0.5), hourly("0002", 90, key=PAN)]
    entry = drift_entry(bins)["drift"]
    assert len(entry["told"]) == 1 and drift_entry([]) == {}
    json.dumps(entry, allow_nan=False)
    draw_drift(entry, tmp_path / "drift.svg")
    drawn = (tmp_path / "drift.svg").read_text()
    assert "zeros" in drawn and "directions of axes" in drawn and "days" in drawn
    draw_drift(drift_entry(bins[:1])["drift"], tmp_path / "one.svg")
