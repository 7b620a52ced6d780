"""What can go wrong, and the exit code each kind maps to."""


class SjoinError(Exception):
    """Base of all errors that sjoin raises on purpose; the message is one sentence for a person."""

    exit_code = 3


class CheckError(SjoinError):
    """A bound that the user asked to check does not hold."""

    exit_code = 1


class InputError(SjoinError):
    """Bad input or usage: the message names the place and the way out."""

    exit_code = 2
