from typing import Any

def __getattr__(name: str) -> Any: ...  # what `kernels/kernels.h` lists
