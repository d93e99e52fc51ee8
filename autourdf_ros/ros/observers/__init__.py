"""Programs that observe a running system from outside, for the demo and the doctor."""
