"""Begin from a model that is known already: from parts, from last month, or from a designer."""
