"""Segment the tracked cloud into rigid bodies."""
