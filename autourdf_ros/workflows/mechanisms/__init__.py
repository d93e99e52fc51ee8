"""Mechanisms from videos: result folder, dynamics, forecasts; dynamics of a robot's joints."""
