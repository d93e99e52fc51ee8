"""Models that this package does not ship: installed objects and HTTP services, by one protocol."""
