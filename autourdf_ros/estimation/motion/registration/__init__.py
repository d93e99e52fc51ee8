"""Prepare frames and register the reference cloud to them."""
