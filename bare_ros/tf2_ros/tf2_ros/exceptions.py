"""The exceptions of tf2."""


class TransformException(Exception):
    """Base of all exceptions of tf2."""


class ConnectivityException(TransformException):
    """The two frames exist, but in trees that are not connected."""


class LookupException(TransformException):
    """A frame does not exist."""


class ExtrapolationException(TransformException):
    """The requested time lies outside the received transforms."""


class InvalidArgumentException(TransformException):
    """A frame name is empty or starts with a slash."""


class TimeoutException(TransformException):
    """The transform did not come in time."""
