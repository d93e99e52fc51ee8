"""Commands that judge a model: check, compare, evaluate, benchmark."""
