"""The work, and how it is measured. Each function does one kind of work on all systems in turns (A B C A B C ..), so that other
load affects all alike, and returns {row: {system: [one figure per round]}}."""

import json
import math
import os
import shutil
import signal
import subprocess
import time
from contextlib import contextmanager
from pathlib import Path

import household as h
from report import sync_time
from systems import ALL, Failed

HERE = Path(__file__).parent
CONNECTIONS = 64
# Seconds of uploads per round.
UPLOADS_FOR = 6
# Uploads prepared per round: more than any system accepts in that time.
UPLOADS = UPLOADS_FOR * 100_000
# Seconds of uploads per round of a fleet: shorter ones hide what a system does now and then.
FLEET_FOR = 60
FLEETS = (64, 1_000, 10_000)
# The same at a pace that all keep, in uploads a second, and the seconds of it: without it, each waits for processors that are never
# idle, and that a host may not give a virtual machine all the time.
FLEET_PACE, FLEET_PACED_FOR = 20_000, 20
# Seconds that a query is repeated per round; a slower one runs once more.
ASKED_FOR = 2

QUESTIONS = {
    "all power": "all power values as JSON",
    "day of power": "one day of power",
    "net": "net consumption over all years",
    "daily energy": "daily energy over all years",
    "daily mean": "daily mean over all years",
}


class Bench:
    """What all kinds of work share: the readings, the folder, and the prepared requests."""

    def __init__(self, household, folder, rounds, say):
        self.household, self.folder, self.rounds, self.say = household, folder, rounds, say
        self.made = 0
        self.bulks = {}

    @contextmanager
    def system(self, kind):
        """A running system on an empty folder; both are removed afterwards."""
        self.made += 1
        system = kind(self.folder / f"{self.made}-{kind.name}")
        try:
            system.prepare(["house", *h.SENSORS])
            system.start()
            yield system
        finally:
            system.stop()
            shutil.rmtree(system.folder, ignore_errors=True)
            system.folder.with_suffix(".log").unlink(missing_ok=True)

    @contextmanager
    def systems(self):
        """All of them."""
        with self.system(ALL[0]) as first, self.system(ALL[1]) as second, self.system(ALL[2]) as third:
            yield [first, second, third]

    def bulk(self, system):
        """The whole household in this system's import format; prepared once."""
        if system.name not in self.bulks:
            folder = self.folder / f"bulk-{system.name}"
            folder.mkdir()
            self.bulks[system.name] = system.bulk(self.household, folder)
        return self.bulks[system.name]

    def write_bodies(self, system, most=None):
        """The uploads of this system, one per line, and the head of each; in a separate folder."""
        folder = self.folder / f"bodies-{self.made}-{system.name}"
        folder.mkdir()
        with open(folder / "bodies", "w") as bodies:
            for number, (sensor, reading) in enumerate(self.household.one_by_one()):
                if number == most:
                    break
                bodies.write(system.upload_body(sensor, reading) + "\n")
        (folder / "head").write_text(system.upload_head())
        flush_disk()
        return folder

    def check_readings(self, system, least, most):
        """Checks that all acknowledged readings are stored; those in flight at the end may be there too."""
        # The latest rows may be missing for some seconds: VictoriaMetrics hides rows that it is packing.
        until = time.monotonic() + 30
        while True:
            counts = system.readings()
            if all(least <= count <= most for count in counts):
                return
            if time.monotonic() > until:
                raise Failed(f"{system.name} has {counts} readings, expected {least} to {most}")
            time.sleep(0.5)


def flush_disk():
    """Flushes dirty pages of other processes. Otherwise the first syncs of the measured system would write them."""
    os.sync()


def written_to_disk(folder):
    """Bytes written to the disk of this folder since the machine started, by whatever process: the kernel's count of one process
    takes large pages for written that were only touched."""
    device = os.stat(folder).st_dev
    counts = Path(f"/sys/dev/block/{os.major(device)}:{os.minor(device)}/stat")
    if not counts.exists():
        raise Failed(f"{folder} is not on a disk of its own: build on one (CARGO_TARGET_DIR)")
    return int(counts.read_text().split()[6]) * 512


def wrk(system, *arguments, seconds, connections):
    """Runs wrk; returns what load.lua prints. If it sends a file, it ends with the file."""
    command = ["wrk", "-t1", f"-c{connections}", f"-d{seconds}s", "--timeout", "60s", "--script", "load.lua"]
    for name, value in system.headers().items():
        command += ["--header", f"{name}: {value}"]
    process = subprocess.Popen([*command, *arguments], cwd=HERE, stdout=subprocess.PIPE, text=True)
    lines = []
    try:
        for line in process.stdout:
            lines.append(line)
            if line.strip() == "sent":
                # Requests in flight are answered in this time.
                time.sleep(1)
                process.send_signal(signal.SIGINT)
        process.wait()
    finally:
        # If this is interrupted.
        process.kill()
    if process.returncode != 0:
        raise Failed(f"{system.name}: wrk ended with {process.returncode}: {''.join(lines)}")
    figures = json.loads(lines[-1])
    if figures["not_2xx"] or figures["broken"] or not figures["requests"]:
        raise Failed(f"{system.name}: not all requests of {' '.join(arguments)} were answered as they should: {figures}")
    return figures


def send_bodies(system, bodies, seconds):
    files = [str(bodies / "head"), str(bodies / "bodies"), system.idle_path]
    return wrk(system, system.url("/"), "--", *files, seconds=seconds, connections=CONNECTIONS)


# ---- uploads ----


def uploads(bench):
    """Single uploads, each with both values, on a new store per round."""
    rates, latencies, syncs = {}, {}, {}
    for _ in range(bench.rounds):
        for kind in ALL:
            with bench.system(kind) as system:
                bodies = bench.write_bodies(system, most=UPLOADS)
                figures = send_bodies(system, bodies, UPLOADS_FOR)
                shutil.rmtree(bodies)
                # The sync time that uploads wait for; other load on the machine affects it.
                synced = sync_time(bench.folder)
                answered = figures["requests"]
                if answered >= UPLOADS:
                    raise Failed(f"{kind.name} took all of {UPLOADS} uploads: this machine needs more of them for {UPLOADS_FOR} s")
                bench.check_readings(system, answered, answered + CONNECTIONS)
                rate = answered / figures["microseconds"] * 1e6
                rates.setdefault(kind.name, []).append(rate)
                latencies.setdefault(kind.name, []).append(figures["p99"] / 1e3)
                syncs.setdefault(kind.name, []).append(synced)
                bench.say(f"uploads: {kind.name}: {rate:,.0f}/s, p99 {figures['p99'] / 1e3:.2f} ms, a sync takes {synced:.2f} ms")
    return {"uploads": rates, "upload p99": latencies, "sync of 4 KiB after it, ms": syncs}


def fleets(bench):
    """The same for many sensors, and for longer. What an upload costs should not depend on how many sensors there are."""
    figures = {}
    for _ in range(bench.rounds):
        for sensors in FLEETS:
            for kind in ALL:
                for row, figure in {**fleet(bench, kind, sensors), **paced_fleet(bench, kind, sensors)}.items():
                    figures.setdefault(f"{row} {sensors}", {}).setdefault(kind.name, []).append(figure)
    return figures


def fleet(bench, kind, sensors):
    """As fast as they are answered."""
    with fleet_system(bench, kind, sensors) as system:
        written, stolen = written_to_disk(bench.folder), stolen_time()
        sent = send_fleet(bench, system, sensors)
        stolen = (stolen_time() - stolen) / (os.cpu_count() * sent["microseconds"] / 1e6) * 100
        flush_disk()
        written = (written_to_disk(bench.folder) - written) / sent["requests"]
        bench.check_readings(system, sent["requests"], sent["requests"] + CONNECTIONS)
    rate = sent["requests"] / sent["microseconds"] * 1e6
    p99, longest = sent["p99"] / 1e3, sent["max"] / 1e3
    bench.say(f"{sensors} sensors: {kind.name}: {rate:,.0f}/s, p99 {p99:.2f} ms, longest {longest:.1f} ms, {written:.0f} B written each, {stolen:.1f} % of the time stolen")
    return {"uploads": rate, "p99": p99, "longest": longest, "written": written, "stolen": stolen}


def paced_fleet(bench, kind, sensors):
    """At a pace that all keep; nothing on a machine where this one does not."""
    with fleet_system(bench, kind, sensors) as system:
        sent = send_fleet(bench, system, sensors, FLEET_PACED_FOR, rate=FLEET_PACE)
    rate = sent["requests"] / sent["microseconds"] * 1e6
    p99, longest = sent["p99"] / 1e3, sent["max"] / 1e3
    bench.say(f"{sensors} sensors: {kind.name}: at {rate:,.0f}/s, p99 {p99:.2f} ms, longest {longest:.1f} ms")
    return {"paced p99": p99, "paced longest": longest} if rate > 0.98 * FLEET_PACE else {}


@contextmanager
def fleet_system(bench, kind, sensors):
    with bench.system(kind) as system:
        system.add_sensors([f"sensor{number}" for number in range(sensors)])
        flush_disk()
        yield system


def stolen_time():
    """Seconds of processor time that this machine's processors were ready and its host gave them none, since it started: steal,
    proc_stat(5)."""
    return int(Path("/proc/stat").read_text().split()[8]) / os.sysconf("SC_CLK_TCK")


def send_fleet(bench, system, sensors, seconds=FLEET_FOR, connections=CONNECTIONS, begin=1_700_000_000, rate=None):
    folder = bench.folder / f"fleet-{bench.made}-{system.name}"
    folder.mkdir()
    (folder / "head").write_text(system.upload_head())
    (folder / "template").write_text(template_of(system) + "\n")
    flush_disk()
    try:
        arguments = [str(folder / "head"), str(folder / "template"), str(sensors), str(begin)]
        arguments += [str(rate)] if rate else []
        return wrk(system, system.url("/"), "--", *arguments, seconds=seconds, connections=connections)
    finally:
        shutil.rmtree(folder)


def template_of(system):
    """The upload of this system, with the names of fields in place of values that stand nowhere else in it."""
    seconds, watts, watthours = 1_234_567_890, 111_222_333, 444_555_666.5
    body = system.upload_body("{sensor}", h.Reading(seconds, watts, watthours))
    for value, field in ((h.civil(seconds), "civil"), (seconds, "seconds"), (watthours, "watthours"), (watts, "watts")):
        body = body.replace(str(value), "{" + field + "}")
    return body


# ---- import ----


def imports(bench):
    """The whole household into an empty store, from the first byte to the last answer."""
    times = {}
    for _ in range(bench.rounds):
        for kind in ALL:
            with bench.system(kind) as system:
                seconds = import_household(bench, system)
                times.setdefault(kind.name, []).append(seconds)
                bench.say(f"import: {kind.name}: {seconds:.2f} s")
    return {"import": times}


def import_household(bench, system):
    bulk = bench.bulk(system)
    flush_disk()
    began = time.perf_counter()
    system.import_bulk(bulk)
    seconds = time.perf_counter() - began
    rows = len(bench.household.rows)
    bench.check_readings(system, rows, rows)
    return seconds


# ---- queries, then memory and starts ----


def life(bench):
    """Queries stores with the household, merged, all running, one at a time. Then uploads to each, memory, and starts on the
    result."""
    with bench.systems() as systems:
        for system in systems:
            import_household(bench, system)
            system.settle()
        figures = {}
        expected = {question: expect(bench.household, question) for question in QUESTIONS}
        sizes = check_answers(bench, systems, expected, figures)
        for system in systems:
            system.pause()
        for _ in range(bench.rounds):
            for question in QUESTIONS:
                for system in systems:
                    if (question, system.name) in sizes:
                        system.resume()
                        took = time_question(bench, system, question, sizes[question, system.name])
                        system.pause()
                        figures.setdefault(question, {}).setdefault(system.name, []).append(took)
                        bench.say(f"{question}: {system.name}: {took:.3f} ms")
        for system in systems:
            system.resume()
            bodies = bench.write_bodies(system, most=UPLOADS)
            send_bodies(system, bodies, UPLOADS_FOR)
            shutil.rmtree(bodies)
            note_memory(bench, system, "memory after work", figures)
            system.pause()
        starts(bench, systems, expected["day of power"], figures)
    return figures


def expect(household, question):
    """The expected answer, from the file itself."""
    return {
        "all power": household.all_power,
        "day of power": household.day_of_power,
        "net": household.net,
        "daily energy": household.daily_energy,
        "daily mean": household.daily_mean,
    }[question]()


def check_answers(bench, systems, expected, figures):
    """Runs each query once; returns the sizes of the answers by query and system. Records what a system cannot answer."""
    sizes = {}
    for question, points in expected.items():
        for system in systems:
            status, body = system.get(system.path(question, bench.household))
            if status == 400 and system.name == "wattkeeper":
                # A version without the parameter `interval` answers so.
                figures.setdefault(question, {})[system.name] = "not answered"
                bench.say(f"{question}: {system.name}: not answered: {body[:200].decode(errors='replace')}")
                continue
            if status != 200:
                raise Failed(f"{system.name}: {question}: {status} {body[:300].decode(errors='replace')}")
            compare(system, question, points, system.points(question, body))
            sizes[question, system.name] = len(body)
    return sizes


def compare(system, question, expected, answered):
    if question == "daily energy":
        # The systems disagree on the register's start: VictoriaMetrics assumes 0, InfluxDB returns nothing for the first day.
        expected, answered = expected[1:], [point for point in answered if point[0] >= expected[1][0]]
    if len(expected) != len(answered):
        raise Failed(f"{system.name}: {question}: {len(answered)} values, expected {len(expected)}")
    for (at, value), (other_at, other) in zip(expected, answered):
        # The peers write energies as 56494.899999999994; days of InfluxDB's begin a millisecond late. For the net VictoriaMetrics
        # names the time it was asked for.
        if not math.isclose(value, other, rel_tol=1e-9, abs_tol=1e-6) or (question != "net" and int(at) != int(other_at)):
            raise Failed(f"{system.name}: {question}: {other} at {other_at}, expected {value} at {at}")


def time_question(bench, system, question, size):
    """The median in milliseconds of repeated queries over one keep-alive connection."""
    seconds = ASKED_FOR * 3 if question == "all power" else ASKED_FOR
    figures = wrk(system, system.url(system.path(question, bench.household)), seconds=seconds, connections=1)
    if figures["bytes"] < figures["requests"] * size:
        raise Failed(f"{system.name}: {question}: answers are shorter than the one that was checked")
    return figures["p50"] / 1e3


def note_memory(bench, system, row, figures):
    resident, anonymous, peak = (size / 2**20 for size in system.memory())
    for title, size in ((row, resident), (f"{row} (without files)", anonymous), (f"{row} (peak)", peak)):
        figures.setdefault(title, {}).setdefault(system.name, []).append(size)
    bench.say(f"{row}: {system.name}: {resident:.1f} MiB, without files {anonymous:.1f} MiB, at most {peak:.1f} MiB")


def starts(bench, systems, expected, figures):
    """From the start of the process to the correct answer about one day of power; then its memory."""
    for _ in range(bench.rounds):
        for system in systems:
            path = system.path("day of power", bench.household)

            def is_right(system=system, path=path):
                status, body = system.get(path)
                return status == 200 and len(system.points("day of power", body)) == len(expected)

            system.stop()
            began = time.perf_counter()
            system.spawn()
            system.wait_until(is_right, "answered about a day")
            seconds = time.perf_counter() - began
            figures.setdefault("start", {}).setdefault(system.name, []).append(seconds)
            bench.say(f"start: {system.name}: {seconds:.3f} s")
            note_memory(bench, system, "memory after start", figures)
            system.pause()


# ---- bytes on disk ----


def disk(bench):
    """Bytes per reading, measured once: they hardly vary. After the import, and after the same rows as single uploads."""
    figures = {}
    rows = len(bench.household.rows)
    for kind in ALL:
        with bench.system(kind) as system:
            import_household(bench, system)
            note_disk(bench, system, "disk after import", rows, figures)
        with bench.system(kind) as system:
            bodies = bench.write_bodies(system)
            began = time.perf_counter()
            send_bodies(system, bodies, 3_600)
            bench.say(f"one by one: {kind.name}: {rows:,} uploads in {time.perf_counter() - began:.0f} s")
            shutil.rmtree(bodies)
            bench.check_readings(system, rows, rows)
            note_disk(bench, system, "disk after one by one", rows, figures)
            note_memory(bench, system, "memory after one by one", figures)
    return figures


def note_disk(bench, system, row, rows, figures):
    before = system.disk()
    system.settle()
    after = system.disk()
    figures.setdefault(row, {})[system.name] = [after / rows]
    bench.say(f"{row}: {system.name}: {after / rows:.2f} bytes a reading ({before / rows:.2f} before it came to rest)")


WORKS = {"uploads": uploads, "fleets": fleets, "import": imports, "life": life, "disk": disk}
