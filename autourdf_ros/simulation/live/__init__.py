"""Simulated cell in real time: motors, encoders, cameras, force sensors."""
