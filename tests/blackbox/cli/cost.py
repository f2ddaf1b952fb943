"""What a table of registers costs by two contracts, computed row by row with Python's decimals: a model of docs/MONEY.md that shares no code.

Arguments: the table (time,watts,watthours; a register), the table of prices (time,price), the zone, the start, the first day of the second
contract, and the end. Prints each line of the statement and its amount.
"""

import sys
from datetime import datetime, timedelta, timezone
from decimal import ROUND_HALF_UP, Decimal, getcontext
from zoneinfo import ZoneInfo

getcontext().prec = 60
MILLIONTH = Decimal("0.000001")
HOUR_MS = 3_600_000
EPOCH = datetime(1970, 1, 1, tzinfo=timezone.utc)


def millis(time):
    return (time - EPOCH) // timedelta(milliseconds=1)


def midnight(date, zone):
    return millis(datetime.fromisoformat(date).replace(tzinfo=zone))


def rounded(amount):
    return amount.quantize(MILLIONTH, ROUND_HALF_UP)


def main(table, price_table, zone_name, start, change, end):
    zone = ZoneInfo(zone_name)
    first, changed, last = (midnight(date, zone) for date in (start, change, end))
    prices = {}
    with open(price_table, encoding="utf-8") as lines:
        next(lines)
        for line in lines:
            time, price = line.strip().split(",")
            prices[millis(datetime.fromisoformat(time.replace("Z", "+00:00")))] = Decimal(price)

    def is_night(hour_ms):
        hour = (EPOCH + timedelta(milliseconds=hour_ms)).astimezone(zone).hour
        return hour >= 22 or hour < 6

    # Millionths of a watt-hour, and amounts.
    energy = {"day": 0, "night": 0, "spot": 0}
    spot, fed = Decimal(0), {"first": 0, "second": 0}
    night_of, before = {}, None
    with open(table, encoding="utf-8") as lines:
        next(lines)
        for line in lines:
            time, _, shown = line.strip().split(",")
            now = millis(datetime.fromisoformat(time).replace(tzinfo=timezone.utc))
            register = int((Decimal(shown) * 1_000_000).to_integral_value())
            if before is not None:
                since, shown_before = before
                size, length = abs(register - shown_before), now - since
                begin = since
                while begin < now:
                    # Where any price may change: the hours of UTC are those of the zone.
                    until = min((begin // HOUR_MS + 1) * HOUR_MS, now)
                    part = size * (until - since) // length - size * (begin - since) // length
                    if first <= begin < last:
                        hour = begin // HOUR_MS * HOUR_MS
                        if register < shown_before:
                            fed["first" if begin < changed else "second"] += part
                        elif begin < changed:
                            if hour not in night_of:
                                night_of[hour] = is_night(hour)
                            energy["night" if night_of[hour] else "day"] += part
                        else:
                            price = rounded(prices[hour] * Decimal("1.21")) + Decimal("0.0305")
                            energy["spot"] += part
                            spot += price * part
                    begin = until
            before = (now, register)

    def kwh(part):
        return Decimal(part) / 1_000_000_000

    def days(begin, stop):
        return (datetime.fromisoformat(stop) - datetime.fromisoformat(begin)).days

    exact = {
        "day": kwh(energy["day"]) * Decimal("0.35"),
        "night": kwh(energy["night"]) * Decimal("0.24"),
        "standing": days(start, change) * Decimal("0.42"),
        "fed 1": -kwh(fed["first"]) * Decimal("0.08"),
    }
    taxes = sum(exact.values()) * Decimal("0.19")
    second = {"spot": spot / 1_000_000_000, "fed 2": -kwh(fed["second"]) * Decimal("0.06")}
    lines = exact | {"tax 1": taxes} | second | {"tax 2": sum(second.values()) * Decimal("0.2")}
    lines = {name: rounded(amount) for name, amount in lines.items()}
    for name, amount in lines.items():
        print(f"{name}={amount}")
    print(f"total={sum(lines.values())}")


main(*sys.argv[1:])
