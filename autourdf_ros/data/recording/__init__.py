"""Writers of a recording while it is captured: submit, send, record, write."""
