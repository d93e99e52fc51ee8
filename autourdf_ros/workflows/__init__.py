"""Chains of the stages below: what commands, nodes and benchmarks run as one."""
