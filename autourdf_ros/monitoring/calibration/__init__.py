"""Measure while learning how often a healthy robot would raise an alarm, and set its levels."""
