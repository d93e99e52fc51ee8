"""Commands about recordings: extract, inspect, repair, simulate."""
