"""Run the commands that assess a model: check, compare, evaluate, benchmark."""
