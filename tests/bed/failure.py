"""What the test bed says when it cannot go on."""


class BedError(Exception):
    """The bed could not be built, started or asked; one sentence, with the log's tail where a program has one."""
