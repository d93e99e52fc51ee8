"""What the benchmark measures, and how one case is measured."""
