#!/usr/bin/env node
// Uploads readings and asks for energy. Needs nothing but Node 18; the two functions work in a
// browser, too, if the service's http.cors_origins has the page's origin.
//
//   client.mjs upload SENSOR WATTS WATTHOURS   now, by this machine's clock
//   client.mjs days SENSOR FROM TO             watt-hours by day, from 2026-01-01 to 2026-02-01
//
// Environment: ELEC_API_ID and ELEC_API_KEY, as `wattkeeper key add` prints them; ELEC_URL, by
// default http://localhost:8080/api/v0.2; TZ, the time zone of days, by default UTC.
const { ELEC_URL = "http://localhost:8080/api/v0.2", ELEC_API_ID, ELEC_API_KEY, TZ = "UTC" } = process.env;

const headers = { Authorization: `Basic ${btoa(`${ELEC_API_ID}:${ELEC_API_KEY}`)}` };

/** The answer as JSON. A service that is busy or restarts is tried again; the same reading twice is one reading. */
async function request(url, options = {}, tries = 5) {
  for (let tried = 1; ; tried += 1) {
    const answer = await fetch(url, { headers, ...options }).catch((error) => error);
    if (answer.ok) return answer.json();
    const isOver = answer.status < 500 && answer.status !== 429;
    if (isOver || tried === tries) throw new Error(answer.text ? await answer.text() : `${url}: ${answer.cause ?? answer}`);
    await new Promise((resolve) => setTimeout(resolve, 1000 * 2 ** (tried - 1)));
  }
}

/** Stores a reading. The time goes with it, so that one that is sent again later stays where it was. */
export function upload(sensor, watts, watthours) {
  const body = JSON.stringify({ sensor_id: sensor, time: new Date().toISOString(), watts, watthours });
  return request(`${ELEC_URL}/elec`, { method: "POST", body });
}

/** Energy by day, as `{ units, data: [{ t, v }] }`. */
export function days(sensor, begin, end) {
  const asked = { sensor_id: sensor, type: "consumption", interval: "1d", tz: TZ, start_time: begin, end_time: end };
  return request(`${ELEC_URL}/elec?${new URLSearchParams(asked)}`);
}

const [command, sensor, ...rest] = process.argv.slice(2);
const commands = { upload: () => upload(sensor, ...rest.map(Number)), days: () => days(sensor, ...rest) };
if (rest.length === 2 && command in commands) {
  const answer = await commands[command]().catch((error) => {
    console.error(error.message);
    process.exit(1);
  });
  console.log(JSON.stringify(answer));
} else {
  console.error("client.mjs upload SENSOR WATTS WATTHOURS | days SENSOR FROM TO");
  process.exitCode = 2;
}
