"""The simulated cell behind the topics of a real one."""
