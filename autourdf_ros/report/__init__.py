"""The report page of a result, and the marks that show its uncertainty."""
