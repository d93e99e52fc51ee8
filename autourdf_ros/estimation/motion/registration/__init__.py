"""Prepare frames and track the reference cloud through them."""
