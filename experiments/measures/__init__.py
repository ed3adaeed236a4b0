"""What lists are scored by: measures by name, and the judged topics they need."""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
