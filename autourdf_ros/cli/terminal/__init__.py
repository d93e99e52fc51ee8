"""What commands print: progress and summaries."""
