"""How the kernels are compiled when pip builds prum; nothing here is installed.

`backend` is what pip calls, `compilers` finds a compiler, `door` writes what Python calls from the
kernels' headers, `door.h` is what every kernel may use, `version` asks git for the version.
"""
