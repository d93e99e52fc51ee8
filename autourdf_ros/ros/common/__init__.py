"""Shared by all nodes: conversions, parameters, subscriptions, the process of a node."""
