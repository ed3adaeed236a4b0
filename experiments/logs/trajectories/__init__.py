"""Logs of other programs, agents and simulators of users: sessions of lists, visits and costs."""
