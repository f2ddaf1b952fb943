#!/usr/bin/env python3
"""Reads a backup of wattkeeper without wattkeeper, by docs/FORMATS.md alone. Needs nothing but Python 3.9.

    read_backup.py BACKUP                         what is in it: a JSON object a line
    read_backup.py BACKUP SENSOR                  its readings, as `wattkeeper export` prints them
    read_backup.py BACKUP --prices ACCOUNT SERIES its prices, as `wattkeeper prices export` prints them

Sections have the names of those in docs/FORMATS.md. All checksums are checked; as lines are printed while the file is read, they are right once the
program has ended with status 0. Four years of a reading a minute take some ten seconds.
"""

import argparse
import hashlib
import json
import math
import struct
import sys
import zlib
from functools import lru_cache
from itertools import accumulate

M64 = (1 << 64) - 1
TOP = 1 << 63
PAGE = 256
FIRST_MS = -62_167_219_200_000  # 0000-01-01T00:00:00Z
MS_PER_DAY = 86_400_000


class Damaged(Exception):
    """The file is not what docs/FORMATS.md says."""


def check(condition, what):
    if not condition:
        raise Damaged(what)


# ---- Numbers, texts and checksums


class Bytes:
    """Bytes read from front to back."""

    def __init__(self, data):
        self.data, self.at = data, 0

    def take(self, count):
        end = self.at + count
        check(end <= len(self.data), "it ends too early")
        taken, self.at = self.data[self.at : end], end
        return taken

    def byte(self):
        return self.take(1)[0]

    def varint(self):
        number = 0
        for place in range(10):
            byte = self.byte()
            number |= (byte & 0x7F) << (7 * place)
            if byte < 0x80:
                return number & M64
        raise Damaged("an endless varint")

    def signed(self):
        return signed_of(self.varint())

    def i64(self):
        return wrapped(self.varint())

    def text(self):
        return self.take(self.byte()).decode()


def signed_of(zigzag):
    return zigzag >> 1 if zigzag & 1 == 0 else -(zigzag >> 1) - 1


def wrapped(number):
    """The i64 that arithmetic modulo 2^64 makes of a number."""
    return ((number + TOP) & M64) - TOP


def f64_of_bits(bits):
    return struct.unpack("<d", struct.pack("<Q", bits))[0]


def bits_of_f64(number):
    return struct.unpack("<Q", struct.pack("<d", number))[0]


# ---- pco


class Bits:
    """A stream of bits, the lowest one of each byte first."""

    def __init__(self, data, start):
        # One long number: Python shifts it faster than it puts bytes together.
        self.all, self.start, self.at, self.size = int.from_bytes(data[start:], "little"), start, 0, 8 * (len(data) - start)

    def take(self, count):
        taken = (self.all >> self.at) & ((1 << count) - 1)
        self.at += count
        check(self.at <= self.size, "a column ends too early")
        return taken

    def end_byte(self):
        """Goes to the next byte; returns its offset in the data."""
        check(self.take(-self.at % 8) == 0, "bits after the end of a column")
        return self.start + self.at // 8


class Bins:
    """The bins of one kind of latents, and the table that decodes them."""

    def __init__(self, bits, width):
        size_log, count = bits.take(4), bits.take(15)
        self.size_log, self.width, self.count = size_log, width, count
        bins = [(bits.take(size_log) + 1, bits.take(width), bits.take(7 if width == 64 else 6)) for _ in range(count)]
        if count < 2:
            check(size_log == 0, "a table for a single bin")
            self.only = bins[0] if bins else None
            return
        size = 1 << size_log
        check(sum(weight for weight, _, _ in bins) == size, "weights that do not fill the table")
        stride = 3 * size // 5 | 1
        rows, turn = [None] * size, 0
        for number, (weight, _, _) in enumerate(bins):
            for _ in range(weight):
                rows[stride * turn % size] = number
                turn += 1
        counters = [weight for weight, _, _ in bins]
        self.table = []
        for number in rows:
            counter = counters[number]
            counters[number] += 1
            more = size_log - (counter.bit_length() - 1)
            _, lower, offset = bins[number]
            self.table.append((more, (1 << more) - 1, (counter << more) - size, lower, offset, (1 << offset) - 1))

    def read(self, bits, count, states):
        """The next latents of a batch. Changes the states."""
        if count == 0:
            return []
        check(self.count > 0, "latents without bins")
        if self.count == 1:
            _, lower, offset = self.only
            return [lower + bits.take(offset) & M64 for _ in range(count)] if offset else [lower] * count
        # Not by `Bits.take`: most of the time is spent here.
        table, everything, at = self.table, bits.all, bits.at
        found = []
        for i in range(count):
            row = table[states[i & 3]]
            states[i & 3] = row[2] + (everything >> at & row[1])
            at += row[0]
            found.append(row)
        latents = []
        for _, _, _, lower, offset, mask in found:
            latents.append(lower + (everything >> at & mask) & M64)
            at += offset
        bits.at = at
        check(at <= bits.size, "a column ends too early")
        return latents


class Column:
    """The chunk metadata of a column."""

    CLASSIC, FLOAT_MULT, FLOAT_QUANT = 0, 2, 3
    NO_DELTA, CONSECUTIVE, LOOKBACK = 0, 1, 2

    def __init__(self, data, is_float):
        bits = Bits(data.data, data.at)
        self.is_float = is_float
        self.mode = bits.take(4)
        if self.mode == self.FLOAT_MULT:
            self.base = float_of_latent(bits.take(64))
        elif self.mode == self.FLOAT_QUANT:
            self.k = bits.take(8)
        else:
            check(self.mode == self.CLASSIC, "an unknown mode of pco")
        check(is_float or self.mode == self.CLASSIC, "a mode of pco for integers")
        self.delta = bits.take(4)
        self.state, deltas_of_secondary, self.lookbacks = 0, False, None
        if self.delta == self.CONSECUTIVE:
            self.state, deltas_of_secondary = bits.take(3), bits.take(1)
        elif self.delta == self.LOOKBACK:
            self.window, self.state, deltas_of_secondary = 2 << bits.take(5), 1 << bits.take(4), bits.take(1)
            check(self.state <= self.window <= 1 << 15, "too wide a window")
            self.lookbacks = Bins(bits, 32)
        else:
            check(self.delta == self.NO_DELTA, "an unknown delta of pco")
        # Bins, and how many latents of a page come first.
        self.kinds = [(Bins(bits, 64), self.state)]
        if self.mode != self.CLASSIC:
            self.kinds.append((Bins(bits, 64), self.state if deltas_of_secondary else 0))
        data.at = bits.end_byte()

    def page(self, data, count):
        """The numbers of the next page."""
        check(count <= PAGE, "more than a batch")
        bits = Bits(data.data, data.at)
        states_of_lookbacks = [bits.take(self.lookbacks.size_log) for _ in range(4)] if self.lookbacks else None
        heads = []
        for bins, state in self.kinds:
            first = [bits.take(64) for _ in range(state)]
            heads.append((first, [bits.take(bins.size_log) for _ in range(4)]))
        bits.end_byte()
        lookbacks = None
        if self.lookbacks:
            lookbacks = self.lookbacks.read(bits, max(count - self.state, 0), states_of_lookbacks)
        kinds = []
        for (bins, state), (first, states) in zip(self.kinds, heads):
            latents = bins.read(bits, max(count - state, 0), states)
            kinds.append(self.undone(latents, first, lookbacks)[:count] if state else latents)
        data.at = bits.end_byte()
        return self.joined(*kinds)

    def undone(self, latents, first, lookbacks):
        """Latents of their deltas, those of the state first."""
        deltas = [latent ^ TOP for latent in latents]
        if self.delta == self.CONSECUTIVE:
            for moment in reversed(first):
                deltas = [number & M64 for number in accumulate(deltas, initial=moment)]
            return deltas
        found = list(first)
        for delta, back in zip(deltas, lookbacks):
            check(1 <= back <= self.window, "a lookback out of its window")
            before = found[-back] if back <= len(found) else 0
            found.append(before + delta & M64)
        return found

    def joined(self, primary, secondary=None):
        """The numbers of latents."""
        if not self.is_float:
            return [latent - TOP for latent in primary]
        if self.mode == self.CLASSIC:
            return [float_of_latent(latent) for latent in primary]
        if self.mode == self.FLOAT_QUANT:
            cut, low = TOP >> self.k, (1 << self.k) - 1
            pairs = zip(primary, secondary)
            return [float_of_latent((p << self.k) + (q if p >= cut else low - q) & M64) for p, q in pairs]
        products = (whole_float(p) * self.base for p in primary)
        return [float_of_latent(latent_of_float(v) + q + TOP & M64) for v, q in zip(products, secondary)]


def float_of_latent(latent):
    return f64_of_bits(latent ^ TOP if latent & TOP else ~latent & M64)


def latent_of_float(number):
    bits = bits_of_f64(number)
    return ~bits & M64 if bits & TOP else bits ^ TOP


def whole_float(latent):
    """The f64 without a fraction that float mult multiplies by its base."""
    is_negative = latent < TOP
    size = TOP - 1 - latent if is_negative else latent - TOP
    number = float(size) if size < 1 << 53 else f64_of_bits(size - (1 << 53) + bits_of_f64(2.0**53))
    return -number if is_negative else number


# ---- Blocks


class Steps:
    """The coding of a column as steps."""

    def __init__(self, code, data):
        self.power, self.predictor = 10 ** (code >> 4), code & 0xF
        check(code >> 4 <= 6 and self.predictor <= 4, "an unknown coding")
        self.base, self.unit = data.signed(), data.signed()

    def whole(self, step):
        return wrapped(self.base + self.unit * step)

    def number(self, step):
        return float(self.whole(step)) / self.power

    def undone(self, first, differences, energy):
        """The steps of a page."""
        if self.predictor == 0:
            return [first] + differences
        if self.predictor == 2:
            differences = accumulate(differences)
        elif self.predictor >= 3:
            differences = [difference + more for difference, more in zip(differences, energy)]
        return [wrapped(step) for step in accumulate(differences, initial=first)]


class Entry:
    """What the directory says of a page; all of it is read, though readings need only some."""

    def __init__(self, data, before, count, power, registers, has_registers):
        """`power` and `registers` are how many numbers of the page are described."""
        length = data.varint()
        self.length, self.packed = length >> 3, [bool(length & bit) for bit in (1, 2, 4)]
        self.stride = wrapped(before.stride + data.signed())
        self.time = wrapped(before.time + self.stride)
        self.spacing = 0 if self.packed[0] else data.i64()
        self.watts, self.last_register = before.watts, before.last_register
        if power:
            self.watts = wrapped(before.watts + data.signed())
            self.least, self.most, self.sum = self.watts - data.signed(), self.watts + data.signed(), data.signed()
            if not has_registers and count > 1:
                self.last_watts, self.imported, self.exported = self.watts + data.signed(), data.varint(), data.varint()
        if registers:
            self.register = wrapped(before.last_register + data.signed())
            rise = data.signed()
            self.last_register, self.phase = wrapped(self.register + rise), data.byte()
            if registers > 1:
                falls = data.i64()
                self.steepest_rise = data.varint() if wrapped(rise + falls) else 0
                self.steepest_fall = data.varint() if falls else 0
                self.unchanged = data.i64()
        timed = registers or (count if power and not has_registers else 0)
        if timed and (self.packed[0] or timed != count):
            self.timing = [data.i64() for _ in range(1 if timed == 1 else 2 if timed == 2 else 5)]


class NoEntry:
    stride = time = watts = last_register = 0


def decoded(block):
    """The readings of a block: times, watts and watt-hours, with None where a reading lacks a measure."""
    data = Bytes(block)
    check(data.byte() == 2, "an unknown version of a block")
    check(int.from_bytes(data.take(4), "little") == zlib.crc32(block[5:]), "the checksum of a block")
    count = int.from_bytes(data.take(2), "little")
    presence, codes = data.byte(), data.take(3)
    has = [presence_of(presence & 3, count, data), presence_of(presence >> 2, count, data)]
    has_registers = presence >> 2 != 0
    # Times, watts, watt-hours; None for what is not coded as steps.
    steps = [Steps(codes[0], data)]
    for code, bits in zip(codes[1:], (presence & 3, presence >> 2)):
        steps.append(Steps(code, data) if bits and code != 0xFF else None)
    entries, entry = [], NoEntry
    for start in range(0, count, PAGE):
        of = slice(start, min(start + PAGE, count))
        described = [sum(one[of]) if coding else 0 for one, coding in zip(has, steps[1:])]
        entry = Entry(data, entry, of.stop - start, *described, has_registers)
        entries.append(entry)
    check(data.take(2)[0] == 4, "an unknown version of pco")
    columns = [None] * 3
    for place, coding in enumerate(steps):
        if any(entry.packed[place] for entry in entries):
            columns[place] = Column(data, is_float=coding is None)
    found = ([], [], [])
    for page, entry in enumerate(entries):
        part = Bytes(data.take(entry.length))
        of = [one[PAGE * page : PAGE * page + PAGE] for one in has]
        for all_of_it, some in zip(found, decoded_page(part, entry, of, steps, columns)):
            all_of_it.extend(some)
        check(part.at == entry.length, "the length of a page")
    check(data.at == len(block), "bytes after the last page")
    return found


def presence_of(bits, count, data):
    if bits == 2:
        map_of = data.take((count + 7) // 8)
        return [map_of[i >> 3] >> (i & 7) & 1 for i in range(count)]
    check(bits < 2, "an unknown presence")
    return [bits] * count


def decoded_page(data, entry, has, steps, columns):
    """Times, watts and watt-hours of a page."""
    of_times, of_watts, of_registers = steps
    count = len(has[0])
    if entry.packed[0]:
        wholes = of_times.undone(entry.time, columns[0].page(data, count - 1), None)
    else:
        wholes = [wrapped(entry.time + entry.spacing * i) for i in range(count)]
    times = [of_times.whole(step) for step in wholes]
    watts = numbers(data, sum(has[0]), of_watts, entry.packed[1] and columns[1], entry.watts, None)
    watts = spread(has[0], watts)
    energy, first = None, None
    if of_registers and sum(has[1]):
        first = entry.register
        if of_registers.predictor >= 3:
            energy = energies(times, watts, has[1], of_registers, entry.phase)
    registers = numbers(data, sum(has[1]), of_registers, entry.packed[2] and columns[2], first, energy)
    return times, watts, spread(has[1], registers)


def numbers(data, count, coding, column, first, energy):
    """The numbers of a measure in a page."""
    if count == 0:
        return []
    if coding is None:
        check(column, "numbers are missing")
        return column.page(data, count)
    differences = column.page(data, count - 1) if column and count > 1 else [0] * (count - 1)
    # Steps repeat themselves: compute each number once.
    known, found = {}, []
    for step in coding.undone(first, differences, energy):
        number = known.get(step)
        if number is None:
            number = known[step] = coding.number(step)
        found.append(number)
    return found


def spread(has, found):
    """One item a reading, None for those without the measure."""
    if len(found) == len(has):
        return found
    rest = iter(found)
    return [next(rest) if there else None for there in has]


def energies(times, watts, has, coding, phase):
    """What predictors 3 and 4 add to each step but the first."""
    per_watt_ms = coding.power / (3_600_000.0 * coding.unit)
    half = 0.5 if coding.predictor == 4 else 0.0
    total, last_time, last = 0.0, times[0], watts[0] or 0.0
    totals = [total]
    for time, now in zip(times[1:], watts[1:]):
        now = now or 0.0
        total += (now + half * (last - now)) * (time - last_time) * per_watt_ms
        totals.append(total)
        last_time, last = time, now
    totals = [one for one, there in zip(totals, has) if there]
    start = phase / 256.0 - totals[0]
    counted = [0] + [floor(one + start) for one in totals[1:]]
    return [after - before for before, after in zip(counted, counted[1:])]


def floor(number):
    if -1e18 < number < 1e18:
        return math.floor(number)
    # Infinity has no integer, and what is not a number has no order.
    return 0 if number != number else int(max(-2.0**63, min(2.0**63, number))) - (number >= 2.0**63)


# ---- Prices


def prices_of(chunk):
    """The prices of a chunk: beginning, end, millionths."""
    data = Bytes(chunk)
    check(data.byte() == 1, "an unknown version of prices")
    end, length, price = data.signed(), data.varint(), 0
    found = []
    while data.at < len(chunk):
        coded, begin = data.varint(), end
        if coded & 1:
            begin, length = end + data.varint(), data.varint()
        price += signed_of(coded >> 1)
        end = begin + length
        found.append((begin, end, price))
    return found


def priced(data, content):
    """The prices after the names of their account and series. The currency, if it is known, follows a 0."""
    if content[data.at] == 0:
        data.byte()
        data.text()
    return prices_of(content[data.at :])


# ---- Backups

# In their order.
KINDS = {1: "settings", 2: "administrator", 3: "account", 4: "credential", 14: "person", 15: "wall tablet", 10: "contract", 12: "bill"}
KINDS |= {16: "days", 17: "format of files", 18: "offer", 19: "purchase", 20: "Home Assistant", 5: "sensor", 9: "correction", 13: "notice", 6: "arrivals", 7: "readings", 11: "prices", 8: "end"}
SENSOR, READINGS, PRICES, END = 5, 7, 11, 8


def frames(file):
    """Each frame: its kind and its content. The first item is when the backup was begun."""
    digest = hashlib.sha256()

    def take(count):
        taken = file.read(count)
        check(len(taken) == count, "it ends too early")
        digest.update(taken)
        return taken

    head = file.read(34)
    check(head[:18] == b"wattkeeper backup\n", "this is no backup")
    check(len(head) == 34 and zlib.crc32(head[:30]) == int.from_bytes(head[30:], "little"), "the checksum of the head")
    digest.update(head)
    version, taken = struct.unpack("<Iq", head[18:30])
    check(version == 1, f"format {version} is not known")
    yield "taken", taken
    kind, order, place = None, list(KINDS), 0
    while kind != END:
        start = take(6)
        kind, packing, length = struct.unpack("<BBI", start)
        check(length <= 65_536, "a frame is too long")
        checksum, content = int.from_bytes(take(4), "little"), take(length)
        check(checksum == zlib.crc32(content, zlib.crc32(start)), "the checksum of a frame")
        check(kind in KINDS, f"kind {kind} of a frame is not known")
        check(place <= order.index(kind), "a frame out of order")
        place = order.index(kind)
        if packing == 1:
            unpacker = zlib.decompressobj(-zlib.MAX_WBITS)
            content = unpacker.decompress(content, 65_537)
            check(unpacker.eof and len(content) <= 65_536, "a frame cannot be unpacked")
        else:
            check(packing == 0, "an unknown packing")
        yield kind, content
    expected = digest.digest()
    check(file.read(33) == expected, "the SHA-256 at the end")


# ---- What is printed


def time_text(ms):
    """A time as in 2026-01-05T10:00:00.000Z."""
    day, ms = divmod(ms - FIRST_MS, MS_PER_DAY)
    second, ms = divmod(ms, 1_000)
    minute, second = divmod(second, 60)
    return "%sT%02d:%02d:%02d.%03dZ" % (date_text(day), minute // 60, minute % 60, second, ms)


@lru_cache
def date_text(day):
    """The date of a day since 0000-01-01. Python's own dates begin with year 1."""
    # Years that begin in March: a leap day is the last one. Cycles of 400 years have 146,097 days.
    cycle, of_cycle = divmod(day - 60, 146_097)
    year = (of_cycle - of_cycle // 1_460 + of_cycle // 36_524 - of_cycle // 146_096) // 365
    of_year = of_cycle - (365 * year + year // 4 - year // 100)
    month = (5 * of_year + 2) // 153
    is_next_year = month >= 10
    number = month - 9 if is_next_year else month + 3
    return "%04d-%02d-%02d" % (400 * cycle + year + is_next_year, number, of_year - (153 * month + 2) // 5 + 1)


def number_text(number):
    """The shortest text that reads back as the number, in the form of `wattkeeper export`."""
    if number is None:
        return ""
    text = repr(number)
    if text.endswith(".0"):
        return text[:-2]
    if "e" in text:
        mantissa, exponent = text.split("e")
        if exponent == "-05":
            sign, digits = ("-", mantissa[1:]) if mantissa[0] == "-" else ("", mantissa)
            return sign + "0.0000" + digits.replace(".", "")
        return mantissa + "e" + exponent[0] + exponent[1:].lstrip("0")
    return text


def decimal_text(millionths):
    whole, rest = divmod(abs(millionths), 1_000_000)
    text = "-" * (millionths < 0) + str(whole)
    return text + (".%06d" % rest).rstrip("0") if rest else text


def print_readings(file, sensor, out):
    id_of, is_known = sensor.encode(), False
    head = bytes([len(id_of)]) + id_of
    for kind, content in frames(file):
        if kind == SENSOR and json.loads(content)["id"] == sensor:
            is_known = True
            out.write("time,watts,watthours\n")
        elif kind == READINGS and content.startswith(head):
            times, watts, registers = decoded(content[len(head) :])
            rows = zip(map(time_text, times), map(number_text, watts), map(number_text, registers))
            out.write("".join("%s,%s,%s\n" % row for row in rows))
    check(is_known, f"there is no sensor {sensor!r}")


def print_prices(file, account, series, out):
    out.write("time,price\n")
    found = []
    for kind, content in frames(file):
        if kind == PRICES:
            data = Bytes(content)
            if (data.text(), data.text()) == (account, series):
                found += priced(data, content)
    # A line without a price ends the one before: at a gap, and at the end if the last price is not
    # as long as the one before it, or an hour if it is alone.
    usual = found[-2][1] - found[-2][0] if len(found) > 1 else 3_600_000
    next_begins = [begin for begin, _, _ in found[1:]]
    for (begin, end, price), following in zip(found, next_begins + [None]):
        out.write(f"{time_text(begin)},{decimal_text(price)}\n")
        if following is not None and following != end or following is None and end - begin != usual:
            out.write(f"{time_text(end)},\n")


def print_all(file, out):
    """A line a frame: secrets are hashes, but still nothing to show around."""
    counts = {"readings": 0, "prices": 0}
    for kind, content in frames(file):
        if kind == "taken":
            line = {"taken": time_text(content)}
        elif kind == READINGS:
            data = Bytes(content)
            sensor = data.text()
            times, _, _ = decoded(content[data.at :])
            counts["readings"] += len(times)
            line = {"readings": len(times), "sensor": sensor, "first": time_text(times[0]), "last": time_text(times[-1])}
        elif kind == PRICES:
            data = Bytes(content)
            account, series = data.text(), data.text()
            found = priced(data, content)
            counts["prices"] += len(found)
            line = {"prices": len(found), "account": account, "series": series, "first": time_text(found[0][0])}
        else:
            line = {KINDS[kind]: json.loads(content)}
            if kind == END:
                told = {name: line["end"].get(name, 0) for name in counts}
                check(told == counts, "the numbers at the end differ from the content")
        out.write(json.dumps(line, ensure_ascii=False) + "\n")


def main():
    parser = argparse.ArgumentParser(description="Reads a backup of wattkeeper.")
    parser.add_argument("backup", metavar="BACKUP")
    parser.add_argument("sensor", metavar="SENSOR", nargs="?", help="prints its readings as CSV")
    parser.add_argument("--prices", metavar=("ACCOUNT", "SERIES"), nargs=2, help="prints its prices as CSV")
    arguments = parser.parse_args()
    sys.stdout.reconfigure(encoding="utf-8", newline="\n")
    try:
        with open(arguments.backup, "rb") as file:
            if arguments.prices:
                print_prices(file, *arguments.prices, sys.stdout)
            elif arguments.sensor is not None:
                print_readings(file, arguments.sensor, sys.stdout)
            else:
                print_all(file, sys.stdout)
    except BrokenPipeError:
        # Whoever reads the lines has seen enough.
        sys.stdout = None
    except (Damaged, OSError) as error:
        sys.exit(f"error: {arguments.backup}: {error}")


if __name__ == "__main__":
    main()
