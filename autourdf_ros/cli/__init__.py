"""The `autourdf` command."""
