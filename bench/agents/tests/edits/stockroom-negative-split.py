"""Checks that negative weights are refused. Runs in the project's directory."""
import sys

sys.path.insert(0, ".")
from stockroom.money import Money

assert Money(10).split([1, 1]) == [Money(5), Money(5)]
try:
    Money(10).split([2, -1])
except ValueError:
    pass
else:
    raise AssertionError("a negative weight was accepted")
