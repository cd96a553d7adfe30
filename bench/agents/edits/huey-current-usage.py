"""Checks that the usage of a rate limit ends with its window. Runs in the project's directory."""
import sys
from unittest import mock

sys.path.insert(0, ".")
from huey import MemoryHuey

limit = MemoryHuey().rate_limit("mail", 5, 60)
with mock.patch("huey.api.time.time") as clock:
    clock.return_value = 600.0
    assert limit.current_usage() == 0
    limit.acquire()
    limit.acquire()
    assert limit.current_usage() == 2
    clock.return_value = 660.0
    assert limit.current_usage() == 0
    limit.acquire()
    assert limit.current_usage() == 1
