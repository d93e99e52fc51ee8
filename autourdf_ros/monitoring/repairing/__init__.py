"""Re-estimate what changed and write the corrected model."""
