"""Compute the papers' metrics of an estimate against the truth."""
