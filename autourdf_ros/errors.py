"""Exceptions of the public interface.

Every message names the file, topic or parameter at fault, the value found and what is accepted.
"""


class AutourdfError(Exception):
    """Base of all errors that this package raises on purpose; commands print it as one line."""

    exit_code = 1


class InputError(AutourdfError):
    """The input (a recording, a file, a parameter) cannot be used as it is."""

    exit_code = 2


class ReconstructionError(InputError):
    """The recording was read, but no robot can be reconstructed from it."""


class RecordingError(AutourdfError):
    """A frame could not be written."""


class CancelledError(AutourdfError):
    """Long work was cancelled on request; nothing was written."""

    exit_code = 130
