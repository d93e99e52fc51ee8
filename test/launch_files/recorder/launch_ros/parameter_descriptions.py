from __future__ import annotations

from typing import Any, get_args

import yaml
from launch import LaunchContext
from launch.utilities import perform_substitutions


class ParameterValue:
    """A parameter's value of a given type."""

    def __init__(self, value: Any, *, value_type: Any) -> None:
        self.value, self.value_type = value, value_type

    def evaluate(self, context: LaunchContext) -> Any:
        text = perform_substitutions(context, [self.value])
        value = text if self.value_type is str else yaml.safe_load(text)
        items = get_args(self.value_type)
        if items:
            right = isinstance(value, list) and all(isinstance(item, items[0]) for item in value)
        else:
            right = isinstance(value, self.value_type)
        if not right:
            raise ValueError(f"'{text}' is not of type {self.value_type}")
        return value
