"""Refuse motions that leave the limits or hit something."""
