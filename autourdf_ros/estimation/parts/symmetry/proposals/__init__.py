"""Propose axes that may be the joint between two parts."""
