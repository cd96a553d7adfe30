"""Checks the errors of malformed ranges. Runs in the project's directory."""
import sys

sys.path.insert(0, ".")
import dns.exception
import dns.grange

assert dns.grange.from_text("1-10") == (1, 10, 1)
assert dns.grange.from_text("1-10/2") == (1, 10, 2)
for text in ["1-", "5", "1-10/", "1-10/0", "1/2", "-", "", "1-2-3", "9-1"]:
    try:
        dns.grange.from_text(text)
    except dns.exception.SyntaxError:
        pass
    else:
        raise AssertionError(f"{text!r} was accepted")
