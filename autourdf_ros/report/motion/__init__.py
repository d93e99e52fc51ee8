"""What the account of a reconstruction from motion has of its own: entries and figures."""
