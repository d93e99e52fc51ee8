"""Refuse motions that enter forbidden configurations or make links collide."""
