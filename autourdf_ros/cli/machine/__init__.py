"""Commands about this machine: demo, doctor."""
