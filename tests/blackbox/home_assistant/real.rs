//! The real Home Assistant: its recorder takes history, corrected and removed hours too.

use super::{NIGHT, correct, put_token};
use crate::mqtt::broker::Mosquitto;
use crate::mqtt::home_assistant::HomeAssistant;
use crate::mqtt::house::{House, eventually};
use crate::place::Serving;

const HOUR: u64 = 3_600;
/// 2026-01-31T20:00:00Z.
const EVENING: u64 = 1_769_889_600;
const DAY: (u64, u64) = (EVENING - 12 * HOUR, EVENING + 12 * HOUR);

/// Waits until its statistic has these sums, in hours from the evening on.
#[track_caller]
fn await_sums(home: &mut HomeAssistant, id: &str, sums: &[(u32, f64)]) {
    let evening = f64::from(u32::try_from(EVENING).unwrap());
    let expected = sums
        .iter()
        .map(|(hour, sum)| (evening + f64::from(hour * 3_600), *sum));
    let expected: Vec<(f64, f64)> = expected.collect();
    eventually(&format!("{sums:?} of {id}"), || {
        (home.sums(id, DAY) == expected).then_some(())
    });
}

/// The first two hours of the night, in options of these names.
fn from_until([from, until]: [&'static str; 2]) -> [&'static str; 4] {
    [from, "2026-01-31T19:00:00Z", until, "2026-01-31T21:30:00Z"]
}

/// A house with the night and a price.
fn night_house(broker: &Mosquitto) -> House {
    let house = House::new(broker.port, &["house"], "");
    let place = &house.place;
    let roles = ["--role", "grid", "--register", "net"];
    place.ok(&[&["sensor", "set", "house"], &roles[..]].concat());
    place.ok(&["contract", "flat", "--price", "0.25", "--currency", "EUR"]);
    let imported = place.run_on(NIGHT.as_bytes(), &["import", "-", "--sensor", "house"]);
    assert_eq!(imported.status, 0, "{imported:?}");
    house
}

fn serve(house: &House, home: &HomeAssistant, token: &str) -> Serving {
    put_token(&house.place, token);
    let text = format!(
        "[home_assistant]\nurl = \"{}\"\ntoken_file = \"token\"\n",
        home.url
    );
    house.place.file("config.toml", text.as_bytes());
    house.serve()
}

#[test]
#[ignore = "needs mosquitto and homeassistant"]
fn homeassistant_takes_corrected_history_beside_mosquitto() {
    let broker = Mosquitto::start();
    let house = night_house(&broker);
    let place = &house.place;
    let serving = house.serve();
    let mut home = HomeAssistant::start(&broker, &house, &serving, EVENING + 10 * HOUR);
    serving.stop();
    let serving = serve(&house, &home, "eyJ0eXAi.wrong.token");
    serving.wait_for("it refuses the token");
    serving.stop();

    let token = home.token.clone();
    let serving = serve(&house, &home, &token);
    let (energy, cost) = ("wattkeeper:house_energy", "wattkeeper:home_house_cost");
    let night = [(0, 1.0), (1, 2.0), (2, 3.0), (3, 4.0), (4, 5.0)];
    await_sums(&mut home, energy, &night);
    await_sums(&mut home, cost, &night.map(|(hour, sum)| (hour, sum / 4.0)));

    correct(place);
    let corrected = [(0, 1.0), (1, 2.0), (2, 3.5), (3, 4.5), (4, 5.5)];
    await_sums(&mut home, energy, &corrected);
    await_sums(
        &mut home,
        cost,
        &corrected.map(|(hour, sum)| (hour, sum / 4.0)),
    );

    place.ok(&["correct", "revoke", "1"]);
    await_sums(&mut home, energy, &night);
    // The first two hours are not known any more.
    let wrong = from_until(["--from", "--to"]);
    place.ok(&[&["correct", "wrong", "house"], &wrong[..]].concat());
    let rest = [(2, 1.0), (3, 2.0), (4, 3.0)];
    await_sums(&mut home, energy, &rest);
    await_sums(&mut home, cost, &rest.map(|(hour, sum)| (hour, sum / 4.0)));
    place.ok(&["correct", "revoke", "2"]);
    await_sums(&mut home, energy, &night);

    let stderr = serving.stop();
    assert!(!stderr.contains(&token), "{stderr}");
    // A start does not know why hours are missing, so they stay there.
    let gone = from_until(["--start", "--end"]);
    place.ok(&[
        &["readings", "delete", "--sensor", "house", "--yes"],
        &gone[..],
    ]
    .concat());
    let serving = house.serve();
    serving.wait_for("that the ledger does not know, from 2026-01-31T20:00:00.000Z on");
    await_sums(&mut home, energy, &night);
    let stderr = serving.stop();
    assert!(!stderr.contains(&token), "{stderr}");
    home.stop();
}
