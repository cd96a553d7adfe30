"""Checks that a lookup drops an expired answer. Runs in the project's directory."""
import sys
import time
from types import SimpleNamespace

sys.path.insert(0, ".")
import dns.resolver

cache = dns.resolver.Cache()
cache.put("old", SimpleNamespace(expiration=time.time() - 1))
cache.put("new", SimpleNamespace(expiration=time.time() + 100))
assert cache.get("old") is None
assert cache.get("new") is not None
assert cache.get("none") is None
assert list(cache.data) == ["new"]
assert (cache.hits(), cache.misses()) == (1, 2)
