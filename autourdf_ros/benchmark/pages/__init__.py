"""The benchmark as a table and as a web page."""
