"""What is raised when a value that is needed could not be computed."""


class NotComputed(Exception):
    """A value that is needed could not be computed; the message says which, and why."""
