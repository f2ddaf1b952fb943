//! docs/HOME-ASSISTANT.md: the service, and a Home Assistant that the tests play, on loopback. `real` and `real_house` have the real one.

pub(crate) mod counted;
mod cut;
mod entry;
pub(crate) mod fake;
mod fleet;
mod history;
mod hostile;
mod hostile_answers;
mod house;
mod live;
mod own;
mod prices;
mod real;
mod real_house;
mod sending;
mod sent;

use std::fs::{self, Permissions};
use std::os::unix::fs::PermissionsExt as _;

use fake::{HomeAssistant, TOKEN};

use crate::place::Place;

/// A register that rises by a kilowatt-hour each hour of the night of 31 January 2026, and a contract.
const NIGHT: &str = "time,watthours\n\
    2026-01-31T20:00:00Z,0\n2026-01-31T21:00:00Z,1000\n2026-01-31T22:00:00Z,2000\n2026-01-31T23:00:00Z,3000\n\
    2026-02-01T00:00:00Z,4000\n2026-02-01T01:00:00Z,5000\n";
const AFTER_NIGHT: [(&str, f64); 5] = [
    ("2026-01-31T20", 1.0),
    ("2026-01-31T21", 2.0),
    ("2026-01-31T22", 3.0),
    ("2026-01-31T23", 4.0),
    ("2026-02-01T00", 5.0),
];

/// A place with the night, whose settings have this address and further lines in that section.
fn place(url: &str, lines: &str) -> Place {
    prepared(Place::new(), url, lines)
}

fn prepared(place: Place, url: &str, lines: &str) -> Place {
    put_token(&place, TOKEN);
    set(&place, url, lines);
    place.prepare();
    place.ok(&["contract", "flat", "--price", "0.25", "--currency", "EUR"]);
    let imported = place.run_on(NIGHT.as_bytes(), &["import", "-", "--sensor", "house"]);
    assert_eq!(imported.status, 0, "{imported:?}");
    place
}

/// States that the hour from 22:00 on had half a kilowatt-hour more.
fn correct(place: &Place) {
    let hour = [
        "--from",
        "2026-01-31T22:00:00Z",
        "--to",
        "2026-01-31T23:00:00Z",
    ];
    place.ok(&[&["correct", "energy", "house", "--kwh", "1.5"], &hour[..]].concat());
}

/// Replaces the file at once, since a reader must not see half of it. Nobody else can read it.
fn put_token(place: &Place, token: &str) {
    let [new, file] = ["token.new", "token"].map(|name| place.dir.path().join(name));
    fs::write(&new, format!("{token}\n")).unwrap();
    fs::set_permissions(&new, Permissions::from_mode(0o600)).unwrap();
    fs::rename(new, file).unwrap();
}

fn set(place: &Place, url: &str, lines: &str) {
    let text = format!("[home_assistant]\nurl = \"{url}\"\ntoken_file = \"token\"\n{lines}\n");
    place.file("config.toml", text.as_bytes());
}

/// Whether it has all of the night, and its costs.
fn has_night(home: &HomeAssistant) -> Option<()> {
    home.has("house_energy", &AFTER_NIGHT)?;
    home.has("home_house_imported", &AFTER_NIGHT)?;
    let costs = AFTER_NIGHT.map(|(time, sum)| (time, sum / 4.0));
    home.has("home_house_cost", &costs)
}
