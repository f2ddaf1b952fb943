"""The table: the medians of each row, their ratios and the goals; and a description of the machine."""

import json
import os
import platform
import re
import statistics
import subprocess
import time
from pathlib import Path

from systems import ALL

OURS, VICTORIA, INFLUX = (system.name for system in ALL)
BETTER = "better peer"

# Row, label, unit, goal: compared with which peer (None: our own figure), more or less, by how much.
ROWS = [
    ("uploads", "single uploads, 64 connections", "/s", [(VICTORIA, ">=", 1.0), (INFLUX, ">=", 2.0)]),
    ("upload p99", "p99 of such an upload", "ms", [(INFLUX, "<=", 1.0)]),
    ("uploads 64", "uploads of 64 sensors, a minute", "/s", [(VICTORIA, ">=", 1.0), (INFLUX, ">=", 2.0)]),
    ("p99 64", "p99 of these", "ms", [(INFLUX, "<=", 1 / 2)]),
    ("longest 64", "longest of these", "ms", [(None, "<=", 50)]),
    ("written 64", "bytes written to the disk for each", "B", []),
    ("stolen 64", "processor time that the host took meanwhile", "%", []),
    ("paced p99 64", "p99 at 20,000 uploads/s", "ms", [(INFLUX, "<=", 1 / 2)]),
    ("paced longest 64", "longest of these", "ms", [(None, "<=", 50)]),
    ("uploads 1000", "uploads of 1,000 sensors, a minute", "/s", [(VICTORIA, ">=", 1.0), (INFLUX, ">=", 2.0)]),
    ("p99 1000", "p99 of these", "ms", [(INFLUX, "<=", 1 / 2)]),
    ("longest 1000", "longest of these", "ms", [(None, "<=", 50)]),
    ("written 1000", "bytes written to the disk for each", "B", []),
    ("stolen 1000", "processor time that the host took meanwhile", "%", []),
    ("paced p99 1000", "p99 at 20,000 uploads/s", "ms", [(INFLUX, "<=", 1 / 2)]),
    ("paced longest 1000", "longest of these", "ms", [(None, "<=", 50)]),
    ("uploads 10000", "uploads of 10,000 sensors, a minute", "/s", [(VICTORIA, ">=", 1.0), (INFLUX, ">=", 2.0)]),
    ("p99 10000", "p99 of these", "ms", [(INFLUX, "<=", 1 / 2)]),
    ("longest 10000", "longest of these", "ms", [(None, "<=", 50)]),
    ("written 10000", "bytes written to the disk for each", "B", []),
    ("stolen 10000", "processor time that the host took meanwhile", "%", []),
    ("paced p99 10000", "p99 at 20,000 uploads/s", "ms", [(INFLUX, "<=", 1 / 2)]),
    ("paced longest 10000", "longest of these", "ms", [(None, "<=", 50)]),
    ("import", "import of the whole file", "s", [(BETTER, "<=", 1 / 3)]),
    ("all power", "all power values as JSON", "ms", [(BETTER, "<=", 1 / 2)]),
    ("day of power", "one day of power", "ms", [(BETTER, "<=", 1.0)]),
    ("net", "net consumption over all years", "ms", [(BETTER, "<=", 1 / 10)]),
    ("daily energy", "daily energy over all years", "ms", [(BETTER, "<=", 1 / 2)]),
    ("daily mean", "daily mean over all years", "ms", [(BETTER, "<=", 1 / 2)]),
    ("disk after import", "bytes on disk a reading, after import", "B", [(BETTER, "<=", 1.0)]),
    ("disk after one by one", "bytes on disk a reading, one by one", "B", [(BETTER, "<=", 1.0)]),
    ("memory after work", "resident memory after all that", "MiB", [(BETTER, "<=", 1 / 5)]),
    ("memory after start", "resident memory after a start", "MiB", [(None, "<=", 32)]),
    ("start", "start until it answers", "s", [(None, "<=", 0.1)]),
]
MORE_IS_BETTER = {"uploads", "uploads 64", "uploads 1000", "uploads 10000"}


def table(figures):
    """A Markdown table of the rows that were measured."""
    lines = [
        f"| work | {OURS} | {VICTORIA} | {INFLUX} | ours : {VICTORIA} | ours : {INFLUX} | goal | |",
        "| --- | --: | --: | --: | --: | --: | --- | --- |",
    ]
    for row, title, unit, goals in ROWS:
        if row in figures:
            lines.append(line(title, unit, medians(figures[row]), goals, row in MORE_IS_BETTER))
    return "\n".join(lines)


def medians(by_system):
    return {
        name: statistics.median(values) if isinstance(values, list) else None for name, values in by_system.items()
    }


def line(title, unit, values, goals, more_is_better):
    shown = [number(values.get(name), unit) for name in (OURS, VICTORIA, INFLUX)]
    ours = values.get(OURS)
    peers = {name: values[name] for name in (VICTORIA, INFLUX) if values.get(name)}
    if peers:
        peers[BETTER] = (max if more_is_better else min)(peers.values())
    ratios = ["" if ours is None or name not in peers else ratio(ours / peers[name]) for name in (VICTORIA, INFLUX)]
    said, met = [], []
    for peer, relation, limit in goals:
        # A peer that did not keep the pace has no figure.
        if ours is not None and (peer is None or peer in peers):
            value = ours / peers[peer] if peer else ours
            met.append(value >= limit if relation == ">=" else value <= limit)
        sign = "≥" if relation == ">=" else "≤"
        said.append(f"{sign} {fraction(limit)} x {peer}" if peer else f"{sign} {limit} {unit}")
    outcome = "" if not goals else "not answered" if ours is None else "" if not met else "met" if all(met) else "**missed**"
    return f"| {title} | {' | '.join(shown)} | {' | '.join(ratios)} | {', '.join(said)} | {outcome} |"


def number(value, unit):
    if value is None:
        return "-"
    digits = 0 if value >= 1_000 else 1 if value >= 100 else 2 if value >= 1 else 3
    return f"{value:,.{digits}f} {unit}" if unit != "/s" else f"{value:,.0f}/s"


def ratio(value):
    return f"{value:.2f}" if value >= 1 else f"{value:.2g}"


def fraction(limit):
    return f"1/{round(1 / limit)}" if limit < 1 else f"{limit:g}"


def raw(figures):
    """Each figure of each round."""
    lines = []
    for row, by_system in figures.items():
        for name, values in by_system.items():
            shown = " ".join(f"{value:.4g}" if value < 1_000 else f"{value:.0f}" for value in values) if isinstance(values, list) else values
            lines.append(f"{row}: {name}: {shown}")
    return "\n".join(lines)


def machine(folder, binary, packages=("victoria-metrics", "influxdb", "wrk")):
    """Processor, memory, disk, kernel, versions."""
    cpuinfo = Path("/proc/cpuinfo").read_text()
    model = re.search(r"^(?:model name|Model)\s*:\s*(.+)$", cpuinfo, re.M)
    memory = int(re.search(r"MemTotal:\s+(\d+)", Path("/proc/meminfo").read_text())[1]) / 2**20
    mount = output(["findmnt", "--noheadings", "--output", "SOURCE,FSTYPE", "--target", str(folder)])
    packages = [f"{package} {output(['dpkg-query', '-W', '-f', '${Version}', package])}" for package in packages]
    return "\n".join([
        f"machine: {model[1] if model else platform.processor()}, {os.cpu_count()} cores, {memory:.1f} GiB memory, "
        f"{' '.join(mount.split())}, Linux {platform.release()}",
        f"fdatasync of 4 KiB: {sync_time(folder):.2f} ms (median)",
        f"versions: {output([binary, '--version'])}, {', '.join(packages)}, Python {platform.python_version()}",
    ])


def sync_time(folder):
    """The median time of a small append and its sync on this disk, in milliseconds: it limits uploads."""
    path, times = folder / "sync", []
    with open(path, "wb", buffering=0) as file:
        for _ in range(50):
            began = time.perf_counter()
            file.write(bytes(4_096))
            os.fdatasync(file.fileno())
            times.append(time.perf_counter() - began)
    path.unlink()
    return statistics.median(times) * 1e3


def output(command):
    try:
        return subprocess.run(command, capture_output=True, text=True, check=True).stdout.strip()
    except (OSError, subprocess.CalledProcessError):
        return "unknown"


def save(path, figures, description):
    path.write_text(json.dumps({"machine": description.splitlines(), "figures": figures}, indent=1) + "\n")
