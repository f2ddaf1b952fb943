"""Batteries of some sizes in a house, computed row by row with Python's fractions: a model of docs/DECIDE.md, "What if?", that shares no code.

Arguments: a table (drawn,fed: the watt-hours of each quarter of an hour), the sizes in kWh, the most that the battery takes and gives in kW, its
efficiency in percent, and the prices of a kilowatt-hour drawn and fed in. Prints for each size the millionths of a watt-hour that the house draws and
feeds in with it, and the total.
"""

import sys
from decimal import ROUND_HALF_UP, Decimal
from fractions import Fraction
from math import ceil, floor

MILLIONTH = 1_000_000


def read(table):
    with open(table, encoding="utf-8") as lines:
        next(lines)
        for line in lines:
            drawn, fed = line.split(",")
            yield int(drawn) * MILLIONTH, int(fed) * MILLIONTH


def amount(energy, price):
    """The price of an energy, rounded to a millionth."""
    exact = Decimal(energy) * price / Decimal(1_000 * MILLIONTH)
    return exact.quantize(Decimal("0.000001"), ROUND_HALF_UP)


def with_battery(rows, usable, charge, discharge, efficiency):
    held = drawn_in_all = fed_in_all = 0
    for drawn, fed in rows:
        give = min(drawn, discharge, held)
        held -= give
        # Whole millionths, the least of which fill the battery.
        take = min(fed, charge, ceil(Fraction(usable - held) / efficiency))
        held += floor(take * efficiency)
        assert 0 <= held <= usable
        drawn_in_all += drawn - give
        fed_in_all += fed - take
    return drawn_in_all, fed_in_all


def main(table, sizes, charge, discharge, percent, import_price, export_price):
    rows = list(read(table))
    quarter = [floor(Fraction(power) * 1_000 * MILLIONTH / 4) for power in (charge, discharge)]
    for size in sizes.split(","):
        usable = int(Fraction(size) * 1_000 * MILLIONTH)
        drawn, fed = with_battery(rows, usable, *quarter, Fraction(percent) / 100)
        total = amount(drawn, Decimal(import_price)) - amount(fed, Decimal(export_price))
        text = f"{total:f}".rstrip("0").rstrip(".")
        print(size, drawn, fed, text)


main(*sys.argv[1:])
