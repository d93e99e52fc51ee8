"""Greedy tree expansion: one joint at a time, by the motors' readings."""
