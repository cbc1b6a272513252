"""What the signal handler of a web process tells its other parts."""


class Draining:
    """Whether this process has been told to end."""

    begun = False
