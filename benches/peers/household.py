"""The readings, the requests that store them, and the expected answers."""

import calendar
import lzma
import time
from collections import namedtuple
from pathlib import Path

Reading = namedtuple("Reading", "seconds watts watthours")

DAY = 86_400
# As single uploads, the same rows come from this many sensors at once.
SENSORS = ["s0", "s1", "s2", "s3"]
# When they begin: a midnight, since the peers split their files by day.
ONE_BY_ONE_FROM = calendar.timegm((2012, 1, 1, 0, 0, 0))


class Household:
    """The readings of the file. Numbers stay as text until a sum needs them."""

    def __init__(self, path):
        self.csv = lzma.open(path, "rb").read() if path.suffix == ".xz" else path.read_bytes()
        lines = self.csv.decode().splitlines()
        if lines[0] != "time,watts,watthours":
            raise ValueError(f"{path}: the columns are {lines[0]!r}, expected time,watts,watthours")
        self.rows = []
        # strptime for each row would take a minute, so days are cached.
        midnights = {}
        for line in lines[1:]:
            moment, watts, watthours = line.split(",")
            day, clock = moment[:10], moment[11:]
            if day not in midnights:
                midnights[day] = calendar.timegm(time.strptime(day, "%Y-%m-%d"))
            hours, minutes, seconds = clock.split(":")
            at = midnights[day] + int(hours) * 3_600 + int(minutes) * 60 + int(seconds)
            self.rows.append(Reading(at, watts, watthours))
        self.first, self.last = self.rows[0], self.rows[-1]
        # The midnights before the first and after the last reading.
        self.start = self.first.seconds // DAY * DAY
        self.end = self.last.seconds // DAY * DAY + DAY
        # A day in the middle of the data.
        self.day = (self.start + self.end) // 2 // DAY * DAY

    def one_by_one(self):
        """The same rows split over several sensors: each gets some of the years, all begin at the same time, one reading
        a minute. In time order: (sensor, reading)."""
        part = -(-len(self.rows) // len(SENSORS))
        for minute in range(part):
            for number, sensor in enumerate(SENSORS):
                index = number * part + minute
                if index < len(self.rows):
                    _, watts, watthours = self.rows[index]
                    yield sensor, Reading(ONE_BY_ONE_FROM + minute * 60, watts, watthours)

    # ---- expected answers: (seconds, value) ----

    def all_power(self):
        return [(row.seconds, float(row.watts)) for row in self.rows]

    def day_of_power(self):
        return [point for point in self.all_power() if self.day <= point[0] < self.day + DAY]

    def net(self):
        return [(self.last.seconds, float(self.last.watthours) - float(self.first.watthours))]

    def daily_mean(self):
        days = {}
        for at, watts in self.all_power():
            count, total = days.get(at // DAY, (0, 0.0))
            days[at // DAY] = (count + 1, total + watts)
        return [(day * DAY, total / count) for day, (count, total) in sorted(days.items())]

    def daily_energy(self):
        """The register at the end of each day minus the one at its beginning. A reading at midnight ends a day."""
        last = {}
        for row in self.rows:
            last[(row.seconds - 1) // DAY] = float(row.watthours)
        days, before = [], float(self.first.watthours)
        for day, register in sorted(last.items()):
            days.append((day * DAY, register - before))
            before = register
        return days


def civil(seconds):
    """The time as the elec API writes it, in UTC."""
    return time.strftime("%Y-%m-%dT%H:%M:%S", time.gmtime(seconds))
