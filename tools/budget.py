"""What a sick API server may be asked: a number of requests, and longer pauses when it is slow."""

import threading
import time
from collections.abc import Callable

SLOW_S = 5.0
"""An answer slower than this counts as a sign of overload."""
_FIRST_PAUSE_S, _LONGEST_PAUSE_S = 0.5, 8.0


class Budget:
    """Counts requests and bytes, and backs off."""

    def __init__(
        self,
        requests: int = 600,
        bytes_cap: int = 1 << 30,
        sleep: Callable[[float], None] = time.sleep,
    ) -> None:
        self.requests = 0
        self.bytes = 0
        self.refused = 0
        """How often the server said 429."""
        self._requests_cap, self._bytes_cap, self._sleep = requests, bytes_cap, sleep
        self._pause_s = 0.0
        self._guard = threading.Lock()

    @property
    def spent(self) -> bool:
        """Tell whether no more may be asked."""
        return self.requests >= self._requests_cap or self.bytes >= self._bytes_cap

    def before(self, requests: int = 1) -> bool:
        """Wait as long as the server needs; False when the budget is spent."""
        if self.spent:
            return False
        if self._pause_s:
            self._sleep(self._pause_s)
        with self._guard:
            self.requests += requests
        return True

    def after(self, size: int, seconds: float, *, overloaded: bool = False) -> None:
        """Take in an answer's size and how hard it came."""
        with self._guard:
            self.bytes += size
            self.refused += overloaded
            if overloaded or seconds > SLOW_S:
                self._pause_s = min(_LONGEST_PAUSE_S, max(_FIRST_PAUSE_S, self._pause_s * 2))
            else:
                self._pause_s /= 2
                self._pause_s = self._pause_s if self._pause_s > _FIRST_PAUSE_S / 4 else 0.0
