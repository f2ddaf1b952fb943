#!/usr/bin/env python3
"""Uploads readings and asks for energy. Needs nothing but Python 3.9.

    client.py upload SENSOR WATTS WATTHOURS   now, by this machine's clock
    client.py days SENSOR FROM TO             energy by day in watt-hours, such as from 2026-01-01 to 2026-02-01

Environment: ELEC_API_ID and ELEC_API_KEY, as `wattkeeper key add` prints them; ELEC_URL, by default http://localhost:8080/api/v0.2;
TZ, the time zone of days, by default UTC.
"""

import base64
import datetime
import json
import os
import sys
import time
import urllib.error
import urllib.parse
import urllib.request

URL = os.environ.get("ELEC_URL", "http://localhost:8080/api/v0.2") + "/elec"


class Client:
    """A key of the "elec" API."""

    def __init__(self, api_id, api_key):
        self.login = "Basic " + base64.b64encode(f"{api_id}:{api_key}".encode()).decode()

    def request(self, url, body=None, tries=5):
        """The answer as JSON. A service that is busy or restarts is tried again; the same reading twice is one reading."""
        data = None if body is None else json.dumps(body).encode()
        request = urllib.request.Request(url, data, {"Authorization": self.login})
        for left in reversed(range(tries)):
            try:
                with urllib.request.urlopen(request, timeout=60) as answer:
                    return json.load(answer)
            except urllib.error.HTTPError as error:
                # 4xx names a mistake in the request, except 429.
                if error.code != 429 and error.code < 500 or not left:
                    sys.exit(f"{error.code}: {error.read().decode()}")
            except OSError as error:
                if not left:
                    sys.exit(f"{URL}: {error}")
            time.sleep(2 ** (tries - left - 1))

    def upload(self, sensor, watts, watthours):
        """Stores a reading. The time goes with it, so that one that is sent again later stays where it was."""
        now = datetime.datetime.now(datetime.timezone.utc).strftime("%Y-%m-%dT%H:%M:%S.%f")[:-3]
        return self.request(URL, {"sensor_id": sensor, "time": now, "watts": watts, "watthours": watthours})

    def days(self, sensor, begin, end):
        """Energy by day: pairs of start and watt-hours."""
        asked = {"sensor_id": sensor, "type": "consumption", "interval": "1d", "tz": os.environ.get("TZ", "UTC"), "start_time": begin, "end_time": end}
        return self.request(f"{URL}?{urllib.parse.urlencode(asked)}")


def main(arguments):
    client = Client(os.environ["ELEC_API_ID"], os.environ["ELEC_API_KEY"])
    if len(arguments) == 4 and arguments[0] == "upload":
        print(json.dumps(client.upload(arguments[1], float(arguments[2]), float(arguments[3]))))
    elif len(arguments) == 4 and arguments[0] == "days":
        print(json.dumps(client.days(*arguments[1:])))
    else:
        sys.exit(__doc__)


main(sys.argv[1:])
