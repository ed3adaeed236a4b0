"""One user in time: what he does when, as a process, and what is kept of it."""
