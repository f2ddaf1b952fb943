"""What a fleet consists of, on this machine: PostgreSQL with a standby, and front-ends.

Needs Debian's postgresql-15 (or another one). `benches/fleet/run` and `scripts/fleet` import this.
"""

import glob
import json
import os
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "peers"))

from systems import Failed, Wattkeeper, free_port

PATIENCE = 60
PASSWORD = "of-the-fleet"
POSTGRES = {
    "shared_buffers": "128MB",
    "max_connections": "200",
    "wal_level": "replica",
    "listen_addresses": "127.0.0.1",
    "max_wal_size": "1GB",
}


def program(name):
    """The path of a program; that of the newest PostgreSQL, as Debian keeps several."""
    versions = sorted(glob.glob(f"/usr/lib/postgresql/*/bin/{name}"), reverse=True)
    found = next(iter(versions), None) or shutil.which(name) or shutil.which(name, path="/usr/sbin")
    if not found:
        raise Failed(f"{name} is missing: install Debian's postgresql-15, haproxy and wrk")
    return found


def run(command, **more):
    """What a command prints."""
    done = subprocess.run(command, capture_output=True, text=True, **more)
    if done.returncode != 0:
        raise Failed(f"{' '.join(map(str, command))}: {done.stderr.strip() or done.stdout.strip()}")
    return done.stdout


def until(holds, what):
    end = time.monotonic() + PATIENCE
    while not holds():
        if time.monotonic() > end:
            raise Failed(f"{PATIENCE} s went by, and not: {what}")
        time.sleep(0.05)


def kill(process):
    """As when a machine goes: nothing of it says a word any more."""
    process.send_signal(signal.SIGSTOP)
    children = Path(f"/proc/{process.pid}/task/{process.pid}/children").read_text().split()
    for pid in [process.pid, *map(int, children)]:
        os.kill(pid, signal.SIGKILL)
    process.wait()


def as_database_user():
    """PostgreSQL refuses to run as root."""
    return ["setpriv", "--reuid=nobody", "--regid=nogroup", "--clear-groups", "--"] if os.getuid() == 0 else []


class Postgres:
    """A server in a folder of its own: a primary or, with one, its standby. Whoever the folder lies in must let others in."""

    def __init__(self, folder, primary=None):
        self.folder, self.port, self.process = folder, free_port(), None
        folder.mkdir(parents=True)
        if os.getuid() == 0:
            shutil.chown(folder, "nobody", "nogroup")
        self.data = folder / "data"
        if primary is None:
            password = folder / "password"
            password.write_text(PASSWORD)
            self.call("initdb", "-U", "postgres", "-A", "scram-sha-256", "-E", "UTF8", "--locale=C", "-D", self.data, "--pwfile", password)
        else:
            self.call("pg_basebackup", "-R", "-c", "fast", "-D", self.data, "-d", primary.address("application_name=standby"))
        settings = {**POSTGRES, "port": self.port, "unix_socket_directories": folder}
        with open(self.data / "postgresql.conf", "a") as file:
            file.writelines(f"{name} = '{value}'\n" for name, value in settings.items())
        self.start()

    def call(self, name, *arguments, **more):
        return run([*as_database_user(), program(name), *arguments], env={**os.environ, "PGPASSWORD": PASSWORD}, **more)

    def address(self, more="", database="postgres"):
        return f"host=127.0.0.1 port={self.port} user=postgres password={PASSWORD} dbname={database} {more}"

    def url(self, database="postgres"):
        return f"postgres://postgres:{PASSWORD}@127.0.0.1:{self.port}/{database}?sslmode=disable"

    def start(self):
        with open(self.folder / "log", "ab") as log:
            command = [*as_database_user(), program("postgres"), "-D", self.data]
            self.process = subprocess.Popen(command, stdout=log, stderr=log)
        until(self.answers, "PostgreSQL answers")

    def answers(self):
        try:
            return self.sql("select 1") == "1"
        except Failed:
            return False

    def sql(self, statement, database="postgres"):
        """What it answers; several statements are one transaction."""
        options = ["-XAtq", "--single-transaction", "-v", "ON_ERROR_STOP=1", "-f", "-"]
        return self.call("psql", *options, "-d", self.address(database=database), input=statement).strip()

    def wait_for(self, standby="standby"):
        """Each commit waits from now on until the standby has it."""
        self.call("psql", "-XAtq", "-d", self.address(), "-c", f"alter system set synchronous_standby_names = '{standby}'")
        self.sql("select pg_reload_conf()")
        in_step = "select count(*) from pg_stat_replication where sync_state = 'sync'"
        until(lambda: self.sql(in_step) == "1", "the standby is in step")

    def stop(self):
        if self.process:
            # "Fast": it does not wait for those who are connected.
            self.process.send_signal(signal.SIGINT)
            self.process.wait(PATIENCE)
            self.process = None


class FrontEnd(Wattkeeper):
    """wattkeeper on a database of a PostgreSQL; the folder holds nothing of note."""

    def __init__(self, folder, primary, database="postgres"):
        super().__init__(folder)
        self.primary, self.database = primary, database

    def environment(self):
        engine = {"WATTKEEPER_STORE_ENGINE": self.primary.url(self.database)}
        # One client has half of them at most, and all clients here are one.
        return {**super().environment(), **engine, "WATTKEEPER_HTTP_MAX_CONNECTIONS": "4096"}

    def add_sensors(self, sensors):
        """The first one by the command, the others as copies of its record, which is quicker. Before it starts: others are not told."""
        super().add_sensors(sensors[:1])
        names = f"unnest(array{sensors[1:]}::text[]) as name"
        self.sql(
            f"insert into sensors (name) select name from {names};"
            "insert into records (kind, key, value) select r.kind, convert_to(name, 'UTF8'), r.value "
            f"from records r, {names} where r.key = convert_to('{sensors[0]}', 'UTF8');"
            "insert into activity (sensor) select id from sensors on conflict do nothing"
        )

    def readings(self):
        """How many are stored; none of them as a row and in a block."""
        return {int(self.sql("select (select count(*) from hot) + (select coalesce(sum(count), 0) from blocks)"))}

    def sql(self, statement):
        return self.primary.sql(statement, self.database)

    def cpu_seconds(self):
        fields = Path(f"/proc/{self.process.pid}/stat").read_text().rsplit(")", 1)[1].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")
