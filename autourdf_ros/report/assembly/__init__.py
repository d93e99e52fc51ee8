"""What the account of a parts result has of its own: entries, tables and figures."""
