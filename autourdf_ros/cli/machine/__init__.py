"""Run the commands about this machine: demo, doctor."""
