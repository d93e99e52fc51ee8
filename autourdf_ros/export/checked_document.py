"""The findings of the checks in reconstruction.json, and what they mean for its verdict."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict
from typing import Any

from autourdf_ros.assessment.checks.finding import Finding
from autourdf_ros.assessment.checks.gate import Findings, as_warning, doubts, failed
from autourdf_ros.model.layers.layer import Trust


def with_checks(document: Mapping[str, Any], findings: Findings) -> dict[str, Any]:
    """Return the document with the findings of all checks.

    Failed checks are warnings. Those that contradict the recording make the verdict, and that of
    the kinematics, doubtful.
    """
    reasons = doubts(findings)
    return {
        **document,
        "checks": [asdict(finding) for finding in findings],
        "verdict": _doubted(document["verdict"], reasons),
        "warnings": [*document["warnings"], *(as_warning(bad) for bad in failed(findings))],
        **_layers(document, reasons),
    }


def without_checks(document: Mapping[str, Any]) -> dict[str, Any]:
    """Return the document as it was before its checks.

    A model whose only reasons for doubt were failed checks is trusted.
    """
    findings = tuple(Finding(**one) for one in document.get("checks", ()))
    written = {as_warning(finding) for finding in findings}
    warnings = [text for text in document["warnings"] if text not in written]
    doubtful = document["verdict"] == "doubtful" and doubts(findings) and not warnings
    verdict = "trusted" if doubtful else document["verdict"]
    layers = document.get("layers", {})
    if doubts(findings) and "kinematics" in layers:
        layer = layers["kinematics"]
        reasons = [text for text in layer["reasons"] if text not in written]
        trust = "trusted" if layer["verdict"] == "doubtful" and not reasons else layer["verdict"]
        layers = {**layers, "kinematics": {**layer, "verdict": trust, "reasons": reasons}}
    changed = {"layers": layers} if layers else {}
    return {**document, "checks": [], "warnings": warnings, "verdict": verdict, **changed}


def _doubted(verdict: Trust, doubts: list[str]) -> Trust:
    """The verdict with the doubts that checks of the written description add."""
    return "doubtful" if doubts and verdict == "trusted" else verdict


def _layers(document: Mapping[str, Any], reasons: list[str]) -> dict[str, Any]:
    if not reasons or "kinematics" not in document.get("layers", {}):
        return {}
    layer = document["layers"]["kinematics"]
    doubtful = {
        "verdict": _doubted(layer["verdict"], reasons),
        "reasons": [*layer["reasons"], *reasons],
    }
    return {"layers": {**document["layers"], "kinematics": {**layer, **doubtful}}}
