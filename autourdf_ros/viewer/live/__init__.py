"""A page that shows what a running capture and reconstruction write."""
