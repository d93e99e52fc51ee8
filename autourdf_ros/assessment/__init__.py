"""Judge a model: is it usable, what changed, how far is it from the truth."""
