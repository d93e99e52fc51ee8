"""Programs that look at a running system from outside: for the demo and the doctor."""
