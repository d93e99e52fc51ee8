"""Multiple shooting: rollouts of a mechanism through windows of the observed motion."""
