"""Nodes with a lifecycle, which a manager may drive from state to state."""
