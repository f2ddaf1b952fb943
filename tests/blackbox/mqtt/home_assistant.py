"""Home Assistant's core with its recorder, MQTT and Emoncms or its Energy dashboard, without its front end. It does what lines of JSON on
stdin say, and answers each with one.

Its clock is simulated, unless no time is given: it stands still at the time that was said last, so that a day of states takes a minute.
Nothing else is: states come by MQTT or as an integration sets them, its own recorder writes them, and compiles its statistics of each
5 minutes in the order in which they would have come.
"""

import asyncio
import json
import sys
import threading
import time
from datetime import UTC, datetime, timedelta
from pathlib import Path
from types import SimpleNamespace

from homeassistant.util import dt
from sqlalchemy import text

CONFIG = json.loads(sys.argv[1])
now = CONFIG["now"]

# Before all that keeps a copy of it.
if now is not None:
    dt.utcnow = lambda: datetime.fromtimestamp(now, UTC)

from homeassistant import auth, config, config_entries, core, loader

try:
    from homeassistant.core_config import async_process_ha_core_config
except ImportError:
    async_process_ha_core_config = config.async_process_ha_core_config

from homeassistant.auth.const import GROUP_ID_ADMIN
from homeassistant.auth.models import TOKEN_TYPE_LONG_LIVED_ACCESS_TOKEN
from homeassistant.bootstrap import async_load_base_functionality
from homeassistant.components.recorder import core as recorder, get_instance, history
from homeassistant.components.recorder.db_schema import Statistics
from homeassistant.components.recorder.statistics import async_import_statistics, statistics_during_period
from homeassistant.components.recorder.tasks import RecorderTask, StatisticsTask
from homeassistant.helpers import device_registry, entity_registry
from homeassistant.helpers import recorder as recorder_helper
from homeassistant.setup import async_setup_component

if now is not None:
    core.time = SimpleNamespace(time=lambda: now)
    # What it does at times of the day would be due again and again while the clock stands still: statistics are compiled below instead,
    # and nothing is purged.
    recorder.async_track_time_change = lambda *_, **__: lambda: None
    recorder.async_track_utc_time_change = recorder.async_track_time_change

PERIOD = timedelta(minutes=5)


async def started():
    # It looks for this file; its settings are the ones below.
    Path(CONFIG["folder"], "configuration.yaml").touch()
    hass = core.HomeAssistant(CONFIG["folder"])
    hass.config.skip_pip = True
    loader.async_setup(hass)
    settings = {
        "http": {"server_host": "127.0.0.1", "server_port": CONFIG["port"]},
        "recorder": {"commit_interval": CONFIG.get("commit_interval", 0)},
    }
    if "broker" in CONFIG:
        settings["sensor"] = [emoncms_reader()]
    hass.config_entries = config_entries.ConfigEntries(hass, settings)
    await async_load_base_functionality(hass)
    hass.auth = await auth.auth_manager_from_config(hass, [], [])
    recorder_helper.async_initialize_recorder(hass)
    own = {"time_zone": CONFIG.get("zone", "UTC"), "unit_system": "metric", "currency": "EUR"}
    await async_process_ha_core_config(hass, own)
    for component in ("homeassistant", "recorder", "http", "websocket_api"):
        assert await async_setup_component(hass, component, settings), component
    await hass.async_start()
    if "broker" in CONFIG:
        await join_house(hass, settings)
    else:
        for component in ("auth", "history", "energy"):
            assert await async_setup_component(hass, component, settings), component
    await hass.async_block_till_done()
    await get_instance(hass).async_recorder_ready.wait()
    return hass


def emoncms_reader():
    return {
        "platform": "emoncms",
        "url": CONFIG["emoncms"],
        "api_key": CONFIG["key"],
        "id": 1,
        "scan_interval": timedelta(seconds=6),
    }


async def join_house(hass, settings):
    """With MQTT, as somebody adds it on its pages, and Emoncms."""
    flow = await hass.config_entries.flow.async_init("mqtt", context={"source": "user"})
    broker = {"broker": "127.0.0.1", "port": CONFIG["broker"]}
    flow = await hass.config_entries.flow.async_configure(flow["flow_id"], broker)
    assert flow["type"] == "create_entry", flow
    assert await async_setup_component(hass, "sensor", settings)
    statestream = {"base_topic": "statestream", "include": {"entities": ["sensor.boiler_energy"]}}
    assert await async_setup_component(hass, "mqtt_statestream", {"mqtt_statestream": statestream})


async def long_lived_token(hass):
    """A token of an administrator, as somebody makes one in the profile. It is on the disk before a kill."""
    if "token" in CONFIG:
        return CONFIG["token"]
    user = await hass.auth.async_create_user("owner", group_ids=[GROUP_ID_ADMIN])
    refresh = await hass.auth.async_create_refresh_token(
        user,
        client_name="wattkeeper",
        token_type=TOKEN_TYPE_LONG_LIVED_ACCESS_TOKEN,
        access_token_expiration=timedelta(days=3650),
    )
    await asyncio.sleep(2)
    return hass.auth.async_create_access_token(refresh)


class Settled(RecorderTask):
    """Its recorder has done all that came before, which its own way to wait does not see while the last of it is at work."""

    def __init__(self):
        self.done = asyncio.Event()

    def run(self, instance):
        instance.hass.loop.call_soon_threadsafe(self.done.set)


async def settled(instance):
    task = Settled()
    instance.queue_task(task)
    await task.done.wait()


async def at(hass, time):
    """Compiles the statistics of all that is over by then, and sets the clock."""
    global now
    instance = get_instance(hass)
    await settled(instance)
    start = datetime.fromtimestamp(now - now % PERIOD.total_seconds(), UTC)
    while (start + PERIOD).timestamp() <= time:
        instance.queue_task(StatisticsTask(start, False))
        start += PERIOD
    await settled(instance)
    now = time


async def wait_for(hass, states):
    """Waits until entities have these states: numbers are compared as such."""

    def is_there(entity, expected):
        state = hass.states.get(entity)
        if state is None:
            return False
        if isinstance(expected, str):
            return state.state == expected
        try:
            return float(state.state) == expected
        except ValueError:
            return False

    begun = time.monotonic()
    while not all(is_there(*one) for one in states.items()):
        if time.monotonic() - begun > 300:
            return {entity: str(hass.states.get(entity)) for entity in states}
        await asyncio.sleep(0.02)
    return None


def entity(hass, name):
    """What it shows of an entity and its device."""
    state = hass.states.get(name)
    if state is None:
        return None
    found = {"state": state.state, "attributes": json.loads(json.dumps(dict(state.attributes), default=str))}
    entry = entity_registry.async_get(hass).async_get(name)
    if entry is not None and entry.device_id:
        device = device_registry.async_get(hass).async_get(entry.device_id)
        for key in ("name", "manufacturer", "model", "sw_version", "configuration_url"):
            found[key] = getattr(device, key)
        found["precision"] = entry.options.get("sensor", {}).get("suggested_display_precision")
    return found


async def statistics(hass, question):
    """What was counted in each hour: the sum of its energy since the first state of all."""
    start, end = (datetime.fromtimestamp(question[key], UTC) for key in ("from", "to"))
    ids, types = set(question["entities"]), {"sum", "state", "last_reset"}
    ask = lambda: statistics_during_period(hass, start, end, ids, "hour", None, types)
    return await get_instance(hass).async_add_executor_job(ask)


def set_states(hass, states):
    """As an integration sets them: the entity, its state and its attributes."""
    for entity, state, attributes in states:
        hass.states.async_set(entity, state, attributes)


async def play(hass, rows):
    """Sets states at times in the last five minutes of hours, and compiles the statistics of these."""
    global now
    instance = get_instance(hass)
    period = lambda time: time - time % PERIOD.total_seconds()
    for count, (time, states) in enumerate(rows):
        now = time
        set_states(hass, states)
        await settled(instance)
        if count + 1 == len(rows) or period(rows[count + 1][0]) != period(time):
            instance.queue_task(StatisticsTask(datetime.fromtimestamp(period(time), UTC), False))
            await settled(instance)
    now = period(now) + PERIOD.total_seconds()


async def years(hass, entities, hours, end):
    """Hourly statistics of years, as its recorder would have written them: by entity, their last sum. Each has a state, too."""
    instance = get_instance(hass)
    sums = {}
    for place, entity in enumerate(entities):
        begin, total, rows = end - hours * 3600, 1000.0 * place, []
        for hour in range(hours):
            total += (hour * 37 + place * 11) % 100 / 128
            rows.append({"start_ts": begin + hour * 3600, "state": total, "sum": total - 1000.0 * place})
        first = {"start": datetime.fromtimestamp(begin, UTC), "state": rows[0]["state"], "sum": rows[0]["sum"]}
        metadata = {"has_sum": True, "has_mean": False, "mean_type": 0, "name": None, "source": "recorder"}
        metadata |= {"statistic_id": entity, "unit_of_measurement": "kWh", "unit_class": "energy"}
        if not hasattr(Statistics, "mean_weight"):
            del metadata["mean_type"], metadata["unit_class"]
        async_import_statistics(hass, metadata, [first])
        await settled(instance)
        await instance.async_add_executor_job(write_rows, instance, entity, rows[1:])
        sums[entity] = rows[-1]["sum"]
        set_states(hass, [(entity, str(total), ENERGY)])
    await settled(instance)
    return sums


ENERGY = {"unit_of_measurement": "kWh", "state_class": "total_increasing", "device_class": "energy"}


def write_rows(instance, entity, rows):
    session = instance.get_session()
    try:
        known = session.execute(text("select id from statistics_meta where statistic_id = :id"), {"id": entity}).scalar_one()
        for row in rows:
            row["metadata_id"] = known
        session.bulk_insert_mappings(Statistics, rows)
        session.commit()
    finally:
        session.close()


async def prefer(hass, prefs):
    """Sets the Energy dashboard, as somebody does on its pages."""
    from homeassistant.components.energy.data import async_get_manager

    manager = await async_get_manager(hass)
    await manager.async_update(prefs)


async def edit_sum(hass, edit):
    """As somebody does on the page of statistics."""
    start = datetime.fromtimestamp(edit["at"], UTC)
    instance = get_instance(hass)
    instance.async_adjust_statistics(edit["entity"], start, edit["by"], "kWh")
    await settled(instance)


async def recorded(hass, entity):
    """Its states that its recorder has: their times, in seconds, and texts."""
    instance = get_instance(hass)
    await settled(instance)
    start, end = datetime.fromtimestamp(0, UTC), dt.utcnow() + timedelta(days=1)
    ask = lambda: history.get_significant_states(hass, start, end, [entity], None, False, False, False, True)
    states = (await instance.async_add_executor_job(ask)).get(entity, [])
    return [[state.last_updated.timestamp(), state.state] for state in states]


async def tick(hass, entity, every):
    """A meter that counts for ever."""
    while True:
        # It goes on where the clock is, after a restart, too.
        set_states(hass, [(entity, f"{time.time() % 1e6:.3f}", ENERGY)])
        await asyncio.sleep(every)


async def main():
    hass = await started()
    lines = asyncio.Queue()
    loop = asyncio.get_running_loop()

    def read():
        for line in sys.stdin:
            loop.call_soon_threadsafe(lines.put_nowait, json.loads(line))
        loop.call_soon_threadsafe(lines.put_nowait, None)

    threading.Thread(target=read, daemon=True).start()
    answer = {"ready": sorted(hass.config.components), "token": await long_lived_token(hass)}
    while True:
        print(json.dumps(answer), flush=True)
        line = await lines.get()
        if line is None:
            break
        if "at" in line:
            answer = await at(hass, line["at"])
        elif "wait_for" in line:
            answer = await wait_for(hass, line["wait_for"])
        elif "entities" in line:
            answer = {name: entity(hass, name) for name in line["entities"]}
        elif "statistics" in line:
            answer = await statistics(hass, line["statistics"])
        elif "set" in line:
            for name, state in line["set"].items():
                hass.states.async_set(name, state, {"unit_of_measurement": "kWh"})
            await hass.async_block_till_done()
            answer = None
        elif "states" in line:
            set_states(hass, line["states"])
            await hass.async_block_till_done()
            answer = None
        elif "play" in line:
            answer = await play(hass, line["play"])
        elif "years" in line:
            answer = await years(hass, **line["years"])
        elif "prefs" in line:
            answer = await prefer(hass, line["prefs"])
        elif "edit" in line:
            answer = await edit_sum(hass, line["edit"])
        elif "recorded" in line:
            answer = await recorded(hass, line["recorded"])
        elif "tick" in line:
            ticking = asyncio.create_task(tick(hass, **line["tick"])) if line["tick"] else ticking.cancel()
            answer = None
        elif "all" in line:
            answer = sorted(hass.states.async_entity_ids())
    await hass.async_stop(force=True)


asyncio.run(main())
