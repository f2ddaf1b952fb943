"""Home Assistant's core with its recorder, MQTT and Emoncms, without its front end. It does what lines of JSON on stdin say, and
answers each with one.

Its clock is simulated: it stands still at the time that was said last, so that a day of states takes a minute. Nothing else is: states
come by MQTT, its own recorder writes them, and compiles its statistics of each 5 minutes in the order in which they would have come.
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

CONFIG = json.loads(sys.argv[1])
now = CONFIG["now"]

# Before all that keeps a copy of it.
dt.utcnow = lambda: datetime.fromtimestamp(now, UTC)

from homeassistant import auth, config, config_entries, core, loader
from homeassistant.auth.const import GROUP_ID_ADMIN
from homeassistant.auth.models import TOKEN_TYPE_LONG_LIVED_ACCESS_TOKEN
from homeassistant.bootstrap import async_load_base_functionality
from homeassistant.components.recorder import core as recorder, get_instance
from homeassistant.components.recorder.statistics import statistics_during_period
from homeassistant.components.recorder.tasks import StatisticsTask
from homeassistant.helpers import device_registry, entity_registry
from homeassistant.helpers import recorder as recorder_helper
from homeassistant.setup import async_setup_component

core.time = SimpleNamespace(time=lambda: now)
# What it does at times of the day would be due again and again while the clock stands still: statistics are compiled below instead, and
# nothing is purged.
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
        "recorder": {"commit_interval": 0},
        "sensor": [
            {
                "platform": "emoncms",
                "url": CONFIG["emoncms"],
                "api_key": CONFIG["key"],
                "id": 1,
                "scan_interval": timedelta(seconds=6),
            }
        ],
    }
    hass.config_entries = config_entries.ConfigEntries(hass, settings)
    await async_load_base_functionality(hass)
    hass.auth = await auth.auth_manager_from_config(hass, [], [])
    recorder_helper.async_initialize_recorder(hass)
    await config.async_process_ha_core_config(hass, {"time_zone": "UTC", "unit_system": "metric"})
    for component in ("homeassistant", "recorder", "http", "websocket_api"):
        assert await async_setup_component(hass, component, settings), component
    await hass.async_start()
    # As somebody adds it on its pages.
    flow = await hass.config_entries.flow.async_init("mqtt", context={"source": "user"})
    broker = {"broker": "127.0.0.1", "port": CONFIG["broker"]}
    flow = await hass.config_entries.flow.async_configure(flow["flow_id"], broker)
    assert flow["type"] == "create_entry", flow
    assert await async_setup_component(hass, "sensor", settings)
    statestream = {"base_topic": "statestream", "include": {"entities": ["sensor.boiler_energy"]}}
    assert await async_setup_component(hass, "mqtt_statestream", {"mqtt_statestream": statestream})
    await hass.async_block_till_done()
    await get_instance(hass).async_recorder_ready.wait()
    return hass


async def long_lived_token(hass):
    """A token of an administrator, as somebody makes one in the profile."""
    user = await hass.auth.async_create_user("owner", group_ids=[GROUP_ID_ADMIN])
    refresh = await hass.auth.async_create_refresh_token(
        user,
        client_name="wattkeeper",
        token_type=TOKEN_TYPE_LONG_LIVED_ACCESS_TOKEN,
        access_token_expiration=timedelta(days=3650),
    )
    return hass.auth.async_create_access_token(refresh)


async def at(hass, time):
    """Compiles the statistics of all that is over by then, and sets the clock."""
    global now
    instance = get_instance(hass)
    await instance.async_block_till_done()
    start = datetime.fromtimestamp(now - now % PERIOD.total_seconds(), UTC)
    while (start + PERIOD).timestamp() <= time:
        instance.queue_task(StatisticsTask(start, False))
        start += PERIOD
    await instance.async_block_till_done()
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
        elif "all" in line:
            answer = sorted(hass.states.async_entity_ids())
    await hass.async_stop(force=True)


asyncio.run(main())
