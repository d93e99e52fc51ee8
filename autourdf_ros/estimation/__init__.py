"""Estimators: each takes data and finds a layer of a robot's model."""
