"""The motion's own likelihood, and the changes of a candidate that it decides."""
