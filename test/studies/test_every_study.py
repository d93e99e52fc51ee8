"""Every study can be run: it imports what it names, and says what it measures."""

import importlib
import sys
from pathlib import Path

import pytest

STUDIES = Path(__file__).parents[2] / "studies"
sys.path.insert(0, str(STUDIES))


@pytest.mark.slow
@pytest.mark.parametrize("study", sorted(path.stem for path in STUDIES.glob("*.py")))
def test_a_study_imports_and_says_what_it_is(study):
    module = importlib.import_module(study)
    assert module.__doc__
    assert hasattr(module, "main") or study == "own_domain"
