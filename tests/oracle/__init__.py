"""The oracle: exact enumeration and a naive walker, both derived from the paper alone."""
