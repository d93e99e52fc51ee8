"""Long use: the history of models, daily observations and drift."""
