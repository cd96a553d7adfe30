"""Checks that crontab reads names of weekdays. Runs in the project's directory."""
import datetime
import sys

sys.path.insert(0, ".")
from huey import crontab


def days(**arguments):
    # 1 March 2026 is a Sunday.
    matches = crontab(minute="0", hour="0", **arguments)
    return [day for day in range(7) if matches(datetime.datetime(2026, 3, 1 + day))]


assert days(day_of_week="mon") == [1]
assert days(day_of_week="SUN,Wed") == [0, 3]
assert days(day_of_week="mon-fri") == [1, 2, 3, 4, 5]
assert days(day_of_week="fri-mon") == [0, 1, 5, 6]
assert days(day_of_week="1-3", strict=True) == [1, 2, 3]
try:
    crontab(hour="mon", strict=True)
except ValueError:
    pass
else:
    raise AssertionError("an hour has no name")
