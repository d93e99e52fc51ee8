"""Sensor data: frames of points and joint readings, their files, and their cleaning."""
