"""Propose candidate links that a model lacks, one module a source."""
