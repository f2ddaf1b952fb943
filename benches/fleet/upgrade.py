"""Replaces the front-ends of a fleet by those of another version, one after the other, under load, and goes back again.
`scripts/fleet --upgrade` runs this.
"""

import calendar
import datetime
import http.client
import itertools
import json
import os
import re
import subprocess
import threading
import time
import urllib.parse

from machines import Failed, kill, program, run, until

PASSWORD = "of the administrator"
# src/store/postgres/leader.rs has the same number. The lock of migrations has it too, but is of one key, not of two.
LEADER_LOCK = 0x77617474
LEADERS = f"""select extract(epoch from clock_timestamp()), count(*) from pg_locks
    where locktype = 'advisory' and granted and classid = {LEADER_LOCK} and objsubid = 2
    and database = (select oid from pg_database where datname = current_database())
\\watch 0.2
"""
# How long a change may take until another front-end shows it; docs/FLEET.md says 5 s.
SEEN_WITHIN = 10
READINGS = "/api/v0.2/elec?sensor_id=sensor0"
DAY = datetime.date(2010, 1, 1)
PRICES_FROM = calendar.timegm((2010, 1, 1, 0, 0, 0))


class Reader:
    """Asks the balancer for one thing, again and again."""

    def __init__(self, fleet, name, path, headers, expected=lambda body: True):
        self.fleet, self.name, self.path, self.headers, self.expected = fleet, name, path, headers, expected
        self.is_over, self.right, self.wrong, self.longest = False, 0, {}, 0.0
        self.thread = threading.Thread(target=self.read, daemon=True)
        self.thread.start()

    def read(self):
        connection = None
        while not self.is_over:
            began = time.monotonic()
            try:
                connection = connection or http.client.HTTPConnection("127.0.0.1", self.fleet.port, timeout=75)
                connection.request("GET", self.path, headers=self.headers)
                answer = connection.getresponse()
                body = answer.read()
                said = answer.status if answer.status != 200 or self.expected(body) else "another content"
            except (OSError, http.client.HTTPException):
                connection, said = None, "broken"
            self.longest = max(self.longest, time.monotonic() - began)
            if said == 200:
                self.right += 1
            else:
                self.wrong[said] = self.wrong.get(said, 0) + 1
                self.fleet.say(f"{self.name}: {said}")
            # A household looks, it does not hammer.
            time.sleep(0.05)

    def end(self):
        self.is_over = True
        self.thread.join()
        wrong = ", ".join(f"{count} x {said}" for said, count in self.wrong.items())
        return f"{self.right:,} answered, longest wait {self.longest:.2f} s, others: {wrong or '0'}"


class LeaderWatch:
    """Counts the leaders every 0.2 s, on one connection."""

    def __init__(self, primary):
        command = [program("psql"), "-XAtq", "-d", primary.address()]
        pipe = subprocess.PIPE
        self.process = subprocess.Popen(command, stdin=pipe, stdout=pipe, stderr=subprocess.DEVNULL, text=True)
        self.process.stdin.write(LEADERS)
        self.process.stdin.flush()
        self.seen = []
        self.thread = threading.Thread(target=self.watch, daemon=True)
        self.thread.start()

    def watch(self):
        # Other lines are headings.
        for found in filter(None, (re.fullmatch(r"([\d.]+)\|(\d+)\n", line) for line in self.process.stdout)):
            self.seen.append((float(found[1]), int(found[2])))

    def end(self):
        self.process.terminate()
        self.process.wait()
        self.thread.join()
        known, longest = None, 0.0
        for at, count in self.seen:
            if count or known is None:
                known = at
            longest = max(longest, at - known)
        most = max(count for _, count in self.seen)
        return f"{most} at most in {len(self.seen):,} looks, none for {longest:.1f} s at most"


class Changes:
    """Changes through one front-end that the other one has to show."""

    def __init__(self, fleet):
        self.fleet, self.number = fleet, 0
        # Seconds, and for what.
        self.waits, self.unseen = [], []

    def between(self, writer, reader):
        """A contract, a price and a sensor. The reader removes the contract, and the writer has to show that, too."""
        self.number += 1
        number, day = self.number, (DAY + datetime.timedelta(self.number)).isoformat()
        price = {"energy": {"price": number / 10_000}}
        contract = {"from": day, "name": f"Flat {number}", "currency": "EUR", "components": [price]}
        writer.ask("/api/v0.2/contracts", "POST", json.dumps(contract))
        self.see(f"contract {number}", lambda: day in self.contracts(reader))
        reader.ask("/api/v0.2/contracts", "POST", json.dumps({"remove": day}))
        self.see(f"removal of contract {number}", lambda: day not in self.contracts(writer))
        hour = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(PRICES_FROM + 3_600 * number))
        writer.ask("/api/v0.2/prices?series=day-ahead", "PUT", f"{hour},{number / 10_000}\n")
        self.see(f"price {number}", lambda: f"{hour[:-1]}".encode() in reader.ask("/api/v0.2/prices?series=day-ahead&format=csv"))
        # By the command of the writer's version, which opens the database itself.
        writer.run("sensor", "add", f"added{number}", "--account", "home", "--role", "sub-meter")
        self.see(f"sensor {number}", lambda: f"added{number}" in self.sensors(reader))
        reader.run("sensor", "remove", f"added{number}", "--yes")
        self.see(f"removal of sensor {number}", lambda: f"added{number}" not in self.sensors(writer))

    @staticmethod
    def contracts(member):
        return {it["from"] for it in json.loads(member.ask("/api/v0.2/contracts"))["contracts"]}

    @staticmethod
    def sensors(member):
        return {it["sensor_id"] for it in json.loads(member.ask("/api/v0.2/sensors"))["sensors"]}

    def see(self, what, is_seen):
        """Until the question that shows it, without its answer: that can wait for other answers."""
        began = asked = time.monotonic()
        while not is_seen():
            if asked - began > SEEN_WITHIN:
                self.unseen.append(what)
                return
            time.sleep(0.01)
            asked = time.monotonic()
        self.waits.append((asked - began, what))

    def report(self):
        unseen = f"; not seen: {', '.join(self.unseen)}" if self.unseen else ""
        longest, what = max(self.waits)
        return f"{len(self.waits)} of {len(self.waits) + len(self.unseen)}, after {longest:.2f} s at most ({what}){unseen}"


class Upgrade:
    """From the old program to the new one, and back."""

    def __init__(self, fleet, sensors, programs, stretch):
        self.fleet, self.sensors, self.stretch = fleet, sensors, stretch
        self.programs = programs
        self.versions = {it: run([it, "--version"]).split()[-1] for it in programs}
        self.changes, self.replaced = Changes(fleet), []
        self.backups, self.broken = {}, {}

    def run(self):
        old, new = self.programs
        first, second = self.fleet.members[0], self.fleet.members[-1]
        cookie = sign_in(self.fleet, first)
        key = first.headers()
        day = "start_time=2023-11-14&end_time=2023-11-16"
        newest = {"value": 0}

        def is_newest(body):
            """Never older than what this reader knew."""
            before, newest["value"] = newest["value"], json.loads(body)["data"][0]["v"]
            return newest["value"] >= before

        readers = [
            Reader(self.fleet, "latest power", f"{READINGS}&type=latest_rate", key, is_newest),
            Reader(self.fleet, "energy", f"/api/v0.2/energy?sensor_id=sensor0&interval=1h&{day}", key),
            Reader(self.fleet, "the first page", "/", {"Cookie": cookie}, lambda body: b"sensor0" in body),
        ]
        leaders = LeaderWatch(self.fleet.primary)
        self.go_on()
        for at in (first, second):
            self.replace(at, new)
            self.go_on()
        self.replace(first, old, "killed")
        self.go_on()
        self.replace(second, old, "stopped")
        self.go_on()
        rows = [(reader.name, reader.end()) for reader in readers]
        rows.append(("leaders at a time", leaders.end()))
        sent_again = sum(int(self.fleet.counts()[it]) for it in ("wretr", "wredis"))
        times = f"{min(self.replaced):.1f} to {max(self.replaced):.1f} s"
        return [
            ("versions", " and ".join(self.versions[it] for it in self.programs)),
            ("a front-end was away for", times),
            *rows,
            ("changes that the other showed", self.changes.report()),
            ("backups", self.restore_backups()),
            ("uploads that broke", ", ".join(f"{count} with a front-end {how}" for how, count in self.broken.items())),
            ("sent again by the balancer", f"{sent_again:,}"),
        ]

    def go_on(self):
        """A stretch with these versions."""
        members = self.fleet.members
        self.fleet.say(f"for {self.stretch} s: " + ", ".join(f"{it.folder.name} is {self.versions[it.binary]}" for it in members))
        # Either version's commands, beside front-ends of the other one.
        listed = [self.command(it, "sensor", "list") for it in self.programs]
        if len({len(json.loads(it)) for it in listed}) != 1:
            raise Failed("the commands of the versions list other sensors")
        end = time.monotonic() + self.stretch
        pairs = itertools.cycle([(members[0], members[-1]), (members[-1], members[0])])
        while time.monotonic() < end:
            self.changes.between(*next(pairs))
            time.sleep(1)
        self.sensors.wait(0)
        self.note_backups()

    def command(self, binary, *arguments):
        """On a machine without a front-end: the folder has no socket of one."""
        environment = {**os.environ, **self.fleet.members[0].environment()}
        return run([binary, *arguments, "--data-dir", self.fleet.folder / "commands", "--json"], env=environment)

    def replace(self, member, by, how="drained"):
        began, broken = time.monotonic(), self.sensors.broken
        if how == "drained":
            self.drain(member)
        if how == "killed":
            # While it finishes its requests, and the next one while it starts.
            member.process.terminate()
            time.sleep(0.02)
            kill(member.process)
            member.process = None
        else:
            member.stop()
        self.note_backups()
        member.binary = by
        if how == "killed":
            member.spawn()
            time.sleep(0.2)
            kill(member.process)
        stopped = time.monotonic() - began
        member.start()
        self.replaced.append(time.monotonic() - began)
        self.use(member)
        self.broken[how] = self.broken.get(how, 0) + self.sensors.broken - broken
        times = f"{how} and gone after {stopped:.1f} s, {self.versions[by]} is ready after {self.replaced[-1]:.1f} s"
        self.fleet.say(f"{member.folder.name}: {times}; {self.sensors.broken - broken} uploads broke")

    def drain(self, member):
        """New requests go to others; those that it has end."""
        self.fleet.order(f"set server front-ends/{member.folder.name} state drain")
        until(lambda: self.fleet.counts(member.folder.name)["scur"] == "0", "it has no requests")

    def use(self, member):
        self.fleet.order(f"set server front-ends/{member.folder.name} state ready")
        # The balancer looks every second.
        until(lambda: self.fleet.counts(member.folder.name)["status"] == "UP", "the balancer uses it")

    def note_backups(self):
        """Who took the backups that are new: a front-end logs the file."""
        for member in self.fleet.members:
            log = member.folder.with_suffix(".log").read_text(errors="replace")
            for path in re.findall(r"backed up \d+ readings to (\S+)", log):
                self.backups.setdefault(path, self.versions[member.binary])

    def restore_backups(self):
        """The last backup of each version, by the other one, into a folder."""
        counts = []
        for taker, restorer in itertools.permutations(self.programs):
            taken = [path for path, version in self.backups.items() if version == self.versions[taker]]
            counts.append(f"{len(taken)} by {self.versions[taker]}")
            if taken:
                # The settings of the fleet are not in this environment, so it is a store in a folder.
                folder = self.fleet.folder / f"restored-by-{self.versions[restorer]}"
                run([restorer, "restore", taken[-1], "--data-dir", folder])
                run([restorer, "check", "--data-dir", folder])
                counts[-1] += f", the last of them restored by {self.versions[restorer]}"
        return "; ".join(counts)


def sign_in(fleet, member):
    """Sets the administrator's password, and returns the cookies of a browser that is signed in."""
    environment = {**os.environ, **member.environment()}
    run([member.binary, "password", "--data-dir", member.folder / "data"], input=f"{PASSWORD}\n", env=environment)
    cookies = []

    def is_signed_in():
        """Once each front-end knows the password."""
        cookies[:] = filter(None, [browser_cookies(fleet)])
        return bool(cookies)

    until(is_signed_in, "a browser signs in")
    for it in fleet.members:
        until(lambda it=it: it.status_for(cookies[0]) == 200, "each front-end knows the session")
    return cookies[0]


def browser_cookies(fleet):
    """The cookies of a browser that signs in, or nothing."""
    connection = http.client.HTTPConnection("127.0.0.1", fleet.port, timeout=75)
    connection.request("GET", "/sign-in")
    answer = connection.getresponse()
    cookies, page = cookies_of(answer), answer.read().decode()
    # The other forms of the page have the same proof.
    proof = re.search(r'name="csrf" value="([^"]+)"', page)[1]
    body = urllib.parse.urlencode({"csrf": proof, "to": "./", "name": "", "password": PASSWORD})
    headers = {"Cookie": cookies, "Content-Type": "application/x-www-form-urlencoded"}
    connection.request("POST", "/sign-in", body, headers)
    answer = connection.getresponse()
    answer.read()
    return f"{cookies}; {cookies_of(answer)}" if answer.status == 303 else None


def cookies_of(answer):
    return "; ".join(it.split(";")[0] for it in answer.headers.get_all("Set-Cookie", []))
