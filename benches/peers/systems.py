"""The systems that are compared: how to start, fill and query each.

Each runs as its package or its build leaves it; what differs from that is said where it does.
"""

import base64
import http.client
import json
import os
import queue
import signal
import socket
import subprocess
import threading
import time
import urllib.parse
from calendar import timegm
from concurrent.futures import ThreadPoolExecutor

from household import DAY, civil

# Longer than any start, answer or merge of a working system.
PATIENCE = 300
# How long a folder must keep its size to count as settled. InfluxDB and VictoriaMetrics look for work every second.
SETTLED_AFTER = 8


class Failed(Exception):
    """A system did not do what was requested."""


class System:
    """One server with its own folder and port. `running()` and the methods below require that it was started."""

    name = None
    version = None

    def __init__(self, folder):
        self.folder = folder
        self.process = None
        self.log = None
        self.port = free_port()
        folder.mkdir(parents=True)

    # ---- what differs between systems ----

    def command(self):
        """The command line of the server."""
        raise NotImplementedError

    def environment(self):
        return {}

    def prepare(self, sensors):
        """Creates what must exist before the first reading."""

    def add_sensors(self, sensors):
        """The same while it runs, for many of them."""

    upload_path = None
    idle_path = None

    def upload_body(self, sensor, reading):
        """One upload of both values, on one line."""
        raise NotImplementedError

    def bulk(self, household, folder):
        """Prepares the input of `import_bulk`; not part of the measured time."""
        raise NotImplementedError

    def import_bulk(self, bulk):
        """Imports the whole household as the sensor `house`, by the fastest documented way for rows from elsewhere."""
        raise NotImplementedError

    def path(self, question, household):
        """The URL of one of QUESTIONS about `house`."""
        raise NotImplementedError

    def points(self, question, body):
        """An answer as (seconds, value), in time order."""
        raise NotImplementedError

    def readings(self):
        """How many readings of all sensors are stored; watts and watt-hours count separately if the system stores them separately."""
        raise NotImplementedError

    def headers(self):
        return {}

    def merge(self):
        """Starts the background work that the system would do some time later."""

    # ---- what all have in common ----

    def start(self):
        self.spawn()
        self.wait_until(lambda: self.get(self.idle_path)[0] in (200, 204), "answers")

    def spawn(self):
        self.log = open(self.folder.with_suffix(".log"), "ab")
        environment = {**os.environ, **self.environment()}
        self.process = subprocess.Popen(
            self.command(), stdout=self.log, stderr=self.log, stdin=subprocess.DEVNULL, env=environment, cwd=self.folder
        )

    def stop(self):
        if self.process is None:
            return
        self.resume()
        self.process.terminate()
        try:
            self.process.wait(PATIENCE)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
        self.process = None
        self.log.close()

    def pause(self):
        """Stops the process, so that its background merges do not count against another system."""
        self.process.send_signal(signal.SIGSTOP)

    def resume(self):
        self.process.send_signal(signal.SIGCONT)

    def wait_until(self, condition, what):
        """Polls every two milliseconds."""
        until = time.monotonic() + PATIENCE
        while time.monotonic() < until:
            if self.process.poll() is not None:
                raise Failed(f"{self.name} ended with {self.process.returncode} before it {what}:\n{self.last_words()}")
            try:
                if condition():
                    return
            except (ConnectionError, http.client.HTTPException, TimeoutError):
                pass
            time.sleep(0.002)
        raise Failed(f"{self.name}: {PATIENCE} s were not enough until it {what}:\n{self.last_words()}")

    def last_words(self):
        self.log.flush()
        return "\n".join(self.folder.with_suffix(".log").read_text(errors="replace").splitlines()[-5:])

    def url(self, path):
        return f"http://127.0.0.1:{self.port}{path}"

    def get(self, path, method="GET", body=None):
        """Status and body."""
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=PATIENCE)
        try:
            connection.request(method, path, body, self.headers())
            answer = connection.getresponse()
            return answer.status, answer.read()
        finally:
            connection.close()

    def ask(self, path, method="GET", body=None):
        status, answer = self.get(path, method, body)
        if status not in (200, 204):
            raise Failed(f"{self.name}: {method} {path}: {status} {answer[:300].decode(errors='replace')}")
        return answer

    def memory(self):
        """Resident bytes: all, those not backed by a file, and the peak."""
        with open(f"/proc/{self.process.pid}/status") as status:
            fields = dict(line.split(":", 1) for line in status)
        return tuple(int(fields[name].split()[0]) * 1024 for name in ("VmRSS", "RssAnon", "VmHWM"))

    def disk(self):
        """Bytes of its folder on disk, as `du` counts."""
        total = 0
        for folder, _, names in os.walk(self.folder):
            for path in [folder] + [os.path.join(folder, name) for name in names]:
                try:
                    total += os.lstat(path).st_blocks * 512
                except FileNotFoundError:
                    pass  # Merged in the meantime.
        return total

    def settle(self):
        """Waits until background work is done and the folder keeps its size."""
        self.merge()
        until, since, size = time.monotonic() + PATIENCE, time.monotonic(), self.disk()
        while time.monotonic() - since < SETTLED_AFTER:
            if time.monotonic() > until:
                raise Failed(f"{self.name}: its folder does not come to rest within {PATIENCE} s")
            time.sleep(0.5)
            if self.disk() != size:
                since, size = time.monotonic(), self.disk()

    def upload_head(self):
        """A request head up to the value of its Content-Length, for load.lua."""
        lines = [f"POST {self.upload_path} HTTP/1.1", f"Host: 127.0.0.1:{self.port}", "Content-Length: "]
        return "\r\n".join(lines)


class Wattkeeper(System):
    name = "wattkeeper"
    upload_path = "/api/v0.2/elec"
    idle_path = "/api/v0.2/sensors"
    binary = None  # Set once it is built.

    def command(self):
        return [self.binary, "serve", "--listen", f"127.0.0.1:{self.port}", "--data-dir", self.folder / "data"]

    def environment(self):
        # The peers log no requests either: VictoriaMetrics never does, InfluxDB is configured not to.
        return {"WATTKEEPER_LOG_LEVEL": "info,access=off"}

    def run(self, *arguments):
        command = [self.binary, *arguments, "--data-dir", self.folder / "data", "--json"]
        done = subprocess.run(command, capture_output=True, text=True, env={**os.environ, **self.environment()})
        if done.returncode != 0:
            raise Failed(f"wattkeeper {' '.join(map(str, arguments))}: {done.stderr.strip()}")
        return done.stdout

    def prepare(self, sensors):
        # With the service running or without makes no measurable difference; it is not running yet.
        self.run("account", "add", "home")
        key = json.loads(self.run("key", "add", "home"))
        self.api_id, self.api_key = key["api_id"], key["api_key"]
        for sensor in sensors:
            self.run("sensor", "add", sensor, "--account", "home", "--role", "sub-meter")

    def add_sensors(self, sensors):
        with ThreadPoolExecutor(os.cpu_count()) as pool:
            for _ in pool.map(lambda sensor: self.run("sensor", "add", sensor, "--account", "home", "--role", "sub-meter"), sensors):
                pass

    def headers(self):
        return {"Authorization": "Basic " + base64.b64encode(f"{self.api_id}:{self.api_key}".encode()).decode()}

    def upload_body(self, sensor, reading):
        return (
            f'{{"sensor_id":"{sensor}","api_id":"{self.api_id}","api_key":"{self.api_key}",'
            f'"time":"{civil(reading.seconds)}","watts":{reading.watts},"watthours":{reading.watthours}}}'
        )

    def bulk(self, household, folder):
        path = folder / "household.csv"
        path.write_bytes(household.csv)
        return path

    def import_bulk(self, bulk):
        self.run("import", bulk, "--sensor", "house")

    def path(self, question, household):
        start, end = civil(household.start), civil(household.end)
        kind, more = {
            "all power": ("rate", ""),
            "day of power": ("rate", ""),
            "net": ("net_consumption", ""),
            "daily mean": ("rate", "&interval=1d&tz=UTC"),
            "daily energy": ("consumption", "&interval=1d&tz=UTC"),
        }[question]
        if question == "day of power":
            start, end = civil(household.day), civil(household.day + DAY - 1)
        return f"/api/v0.2/elec?sensor_id=house&type={kind}&start_time={start}&end_time={end}{more}"

    def points(self, question, body):
        return [(seconds_of(point["t"]), point["v"]) for point in json.loads(body)["data"]]

    def readings(self):
        listed = json.loads(self.run("sensor", "list"))
        return {sum(sensor["readings"] for sensor in listed)}


class VictoriaMetrics(System):
    name = "VictoriaMetrics"
    upload_path = "/write?precision=s"
    idle_path = "/health"

    def command(self):
        # By default it deletes data after a month.
        return [
            "victoria-metrics",
            f"-storageDataPath={self.folder / 'data'}",
            "-retentionPeriod=100y",
            f"-httpListenAddr=127.0.0.1:{self.port}",
        ]

    def upload_body(self, sensor, reading):
        return influx_line(sensor, reading)

    def bulk(self, household, folder):
        """JSON lines of 10,000 values: the fastest way for rows from elsewhere, four times as fast as CSV or InfluxDB's protocol.
        Its native format is faster still, but only VictoriaMetrics itself writes it, for backups."""
        lines = []
        for at in range(0, len(household.rows), 10_000):
            rows = household.rows[at : at + 10_000]
            times = ",".join(f"{row.seconds}000" for row in rows)
            for name in ("watts", "watthours"):
                values = ",".join(getattr(row, name) for row in rows)
                lines.append(
                    f'{{"metric":{{"__name__":"elec_{name}","sensor":"house"}},"values":[{values}],"timestamps":[{times}]}}\n'
                )
        return "".join(lines).encode()

    def import_bulk(self, bulk):
        self.ask("/api/v1/import", "POST", bulk)

    def path(self, question, household):
        """Range queries bypass its cache: otherwise only the first would be computed."""
        watts, watthours = 'elec_watts{sensor="house"}', 'elec_watthours{sensor="house"}'
        if question in ("all power", "day of power"):
            begin = household.start if question == "all power" else household.day
            end = household.end if question == "all power" else household.day + DAY - 1
            return address("/api/v1/export", {"match[]": watts, "start": begin, "end": end})
        if question == "net":
            # Finds registers at any time in the years, as the others do. Faster than delta_prometheus(..[5y]).
            years = f"[{household.end - household.start}s]"
            net = f"last_over_time({watthours}{years}) - first_over_time({watthours}{years})"
            return address("/api/v1/query", {"query": net, "time": household.end, "nocache": 1})
        # A point stands for the day that ends with it, excluding its first moment: right for registers; the mean needs a
        # millisecond less.
        query, early = {
            "daily mean": (f"avg_over_time({watts}[1d])", 0.001),
            "daily energy": (f"delta({watthours}[1d])", 0),
        }[question]
        start, end = household.start + DAY - early, household.end - early
        return address(
            "/api/v1/query_range", {"query": query, "start": start, "end": end, "step": "1d", "nocache": 1}
        )

    def points(self, question, body):
        if question in ("all power", "day of power"):
            points = []
            for line in body.splitlines():
                part = json.loads(line)
                points.extend((at // 1_000, value) for at, value in zip(part["timestamps"], part["values"]))
            return sorted(points)
        result = json.loads(body)["data"]["result"]
        if question == "net":
            return [(result[0]["value"][0], float(result[0]["value"][1]))]
        return [(round(at) - DAY, float(value)) for at, value in result[0]["values"]]

    def readings(self):
        # The latest rows are in memory, where queries do not find them yet.
        self.ask("/internal/force_flush")
        counts = set()
        for name in ("elec_watts", "elec_watthours"):
            path = address(
                "/api/v1/query",
                {"query": f"sum(count_over_time({name}[30y]))", "time": int(time.time()), "nocache": 1},
            )
            result = json.loads(self.ask(path))["data"]["result"]
            counts.add(int(result[0]["value"][1]) if result else 0)
        return counts

    def merge(self):
        self.ask("/internal/force_flush")
        self.ask("/internal/force_merge")
        self.wait_until(lambda: b"vm_active_force_merges 0" in self.ask("/metrics"), "has merged")


class InfluxDB(System):
    name = "InfluxDB"
    upload_path = "/write?db=elec&precision=s"
    idle_path = "/ping"
    # Its documentation recommends batches of 5,000 to 10,000 lines; two senders are faster than one.
    BATCH, SENDERS = 10_000, 2

    def __init__(self, folder):
        super().__init__(folder)
        self.rpc_port = free_port()

    def command(self):
        return ["influxd", "-config", "/dev/null"]

    def environment(self):
        """The defaults, which sync the WAL with each write; without its reports, its log of requests and the statistics
        that it would store about itself. It compacts what was not written to for four hours: here for a second, so that it
        comes to rest while it is waited for, and in the same process."""
        return {
            "INFLUXDB_META_DIR": str(self.folder / "meta"),
            "INFLUXDB_DATA_DIR": str(self.folder / "data"),
            "INFLUXDB_DATA_WAL_DIR": str(self.folder / "wal"),
            "INFLUXDB_HTTP_BIND_ADDRESS": f"127.0.0.1:{self.port}",
            "INFLUXDB_BIND_ADDRESS": f"127.0.0.1:{self.rpc_port}",
            "INFLUXDB_REPORTING_DISABLED": "true",
            "INFLUXDB_HTTP_LOG_ENABLED": "false",
            "INFLUXDB_MONITOR_STORE_ENABLED": "false",
            "INFLUXDB_DATA_CACHE_SNAPSHOT_WRITE_COLD_DURATION": "1s",
            "INFLUXDB_DATA_COMPACT_FULL_WRITE_COLD_DURATION": "1s",
        }

    def start(self):
        super().start()
        # Its documentation recommends this for years of history; the default, a week, is slower to fill and to query.
        self.query("CREATE DATABASE elec WITH SHARD DURATION 52w", "POST")

    def query(self, text, method="GET"):
        answer = self.ask(address("/query", {"db": "elec", "q": text, "epoch": "ms"}), method)
        result = json.loads(answer)["results"]
        if any("error" in part for part in result):
            raise Failed(f"{self.name}: {text}: {answer[:300].decode()}")
        return result

    def upload_body(self, sensor, reading):
        return influx_line(sensor, reading)

    def bulk(self, household, folder):
        lines = [influx_line("house", row) for row in household.rows]
        return ["\n".join(lines[at : at + self.BATCH]).encode() for at in range(0, len(lines), self.BATCH)]

    def import_bulk(self, bulk):
        waiting, failures = queue.Queue(), []
        for batch in bulk:
            waiting.put(batch)

        def send():
            connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=PATIENCE)
            while not failures:
                try:
                    batch = waiting.get_nowait()
                except queue.Empty:
                    return
                try:
                    connection.request("POST", self.upload_path, batch)
                    answer = connection.getresponse()
                    text = answer.read()
                    if answer.status != 204:
                        failures.append(f"{answer.status} {text[:300].decode(errors='replace')}")
                except OSError as error:
                    failures.append(str(error))

        senders = [threading.Thread(target=send) for _ in range(self.SENDERS)]
        for sender in senders:
            sender.start()
        for sender in senders:
            sender.join()
        if failures:
            raise Failed(f"{self.name}: import: {failures[0]}")

    def path(self, question, household):
        def between(start, end):
            return f"FROM elec WHERE sensor = 'house' AND time >= {start}s AND time < {end}s"

        always = between(household.start, household.end)
        # Days of registers begin a millisecond after midnight, because a reading at midnight ends the previous day.
        query = {
            "all power": f"SELECT watts {always}",
            "day of power": f"SELECT watts {between(household.day, household.day + DAY)}",
            # Two LASTs are several times as fast as LAST - FIRST or SPREAD.
            "net": f"SELECT LAST(watthours) FROM elec WHERE sensor = 'house' AND time <= {household.last.seconds}s; "
            f"SELECT LAST(watthours) FROM elec WHERE sensor = 'house' AND time <= {household.first.seconds}s",
            "daily mean": f"SELECT MEAN(watts) {always} GROUP BY time(1d)",
            "daily energy": f"SELECT DIFFERENCE(LAST(watthours)) {always} GROUP BY time(1d, 1ms)",
        }[question]
        parameters = {"db": "elec", "epoch": "ms", "q": query}
        if question == "all power":
            parameters["chunked"] = "true"
        return address("/query", parameters)

    def points(self, question, body):
        # Each chunk is one object on one line.
        points = []
        for line in body.splitlines():
            for result in json.loads(line)["results"] if line else []:
                for series in result.get("series", []):
                    points.extend((at // 1_000, value) for at, value in series["values"])
        if question == "net":
            (at, last), (_, first) = points
            return [(at, last - first)]
        return points

    def readings(self):
        result = self.query("SELECT COUNT(watts), COUNT(watthours) FROM elec")[0]
        return set(result["series"][0]["values"][0][1:]) if "series" in result else {0}


ALL = (Wattkeeper, VictoriaMetrics, InfluxDB)


def influx_line(sensor, reading):
    return f"elec,sensor={sensor} watts={reading.watts},watthours={reading.watthours} {reading.seconds}"


def address(path, parameters):
    return path + "?" + urllib.parse.urlencode(parameters)


def seconds_of(text):
    """The whole seconds of 2006-12-16T17:24:00.000Z."""
    numbers = (text[0:4], text[5:7], text[8:10], text[11:13], text[14:16], text[17:19])
    return timegm(tuple(map(int, numbers)))


def free_port():
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        return listener.getsockname()[1]
