"""Functions that numba compiles: one process of a test run does, the others wait for its cache.

In a new clone many tests begin with the same seconds of compilation, at the same time.
"""

import fcntl
import functools
import hashlib

from numba.core.caching import NullCache
from numba.core.compiler_lock import global_compiler_lock
from numba.core.dispatcher import Dispatcher


def compile_once(folder):
    """Let this process hold a lock in `folder`, one a function, while it loads or compiles one."""
    folder.mkdir(parents=True, exist_ok=True)
    compiled, held = Dispatcher.compile, set()

    @functools.wraps(compiled)
    def locked(self, sig):
        name = f"{self.py_func.__module__}.{self.py_func.__qualname__}"
        if isinstance(self._cache, NullCache) or name in held:
            return compiled(self, sig)
        file = folder / hashlib.sha256(name.encode()).hexdigest()[:16]
        # The compiler's own lock comes first: a thread that has it may come to wait for ours.
        with global_compiler_lock, file.open("w") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            held.add(name)
            try:
                return compiled(self, sig)
            finally:
                held.discard(name)

    Dispatcher.compile = locked
