"""Closed forms of rules that end a session: what users have seen by then."""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
