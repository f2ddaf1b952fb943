//! Everything as an archive, from the page of settings.

use std::collections::BTreeMap;
use std::io::{Cursor, Read as _};
use std::time::{Duration, Instant};

use sha2::{Digest as _, Sha256};
use wattkeeper::{Membership, Plan, Scope};
use zip::ZipArchive;

use crate::http::streams::{destroy_disk, history_on_disk};
use crate::pages::browser::Browser;
use crate::pages::links::links;
use crate::pages::people::{add_person, browser_of};
use crate::support::{Response, Service, at, register};

const EVERYTHING: &str = "/settings/export";

/// The files in an archive, by their paths in its folder.
#[track_caller]
fn files(answer: &Response) -> BTreeMap<String, String> {
    assert_eq!(answer.status(), 200, "{}", answer.text());
    let header = |name| answer.head.header(name).unwrap_or_default();
    assert_eq!(header("content-type"), "application/zip");
    let name = header("content-disposition")
        .strip_prefix("attachment; filename=\"")
        .and_then(|rest| rest.strip_suffix(".zip\""))
        .unwrap();
    let mut archive = ZipArchive::new(Cursor::new(&*answer.body)).unwrap();
    let mut found = BTreeMap::new();
    for at in 0..archive.len() {
        let mut file = archive.by_index(at).unwrap();
        let path = file.name().unwrap();
        let path = path.strip_prefix(&format!("{name}/")).unwrap();
        let path = path.to_owned();
        let mut text = String::new();
        file.read_to_string(&mut text).unwrap();
        found.insert(path, text);
    }
    found
}

/// Two accounts with a sensor, a key and readings each, and a person.
fn two_accounts() -> Service {
    let service = Service::start();
    service.import(&[
        register(at("2026-01-01T00:00:00"), 100.0),
        register(at("2026-01-01T01:00:00"), 350.5),
    ]);
    service.add_account("shop", Plan::Paid);
    service.add_sensor("shop", "till");
    service.add_key("shop", "shop-id", Scope::Full);
    add_person(&service, "Ada", &[("home", Membership::Member)]);
    service
}

#[test]
fn the_administrator_gets_everything() {
    let service = two_accounts();
    let browser = Browser::set_up(&service);
    let page = browser.page("/settings");
    assert!(links(&page).contains(&EVERYTHING.to_owned()));
    let all = files(&browser.get(EVERYTHING));
    assert_eq!(all["README.md"], include_str!("../../../docs/LEAVING.md"));
    assert_eq!(
        all["readings/house.csv"],
        "time,watts,watthours\n2026-01-01T00:00:00.000Z,,100\n2026-01-01T01:00:00.000Z,,350.5\n"
    );
    assert!(all["energy/house.csv"].contains("250.5"));
    assert!(all.contains_key("readings/till.csv"));
    assert!(all["people.json"].contains("Ada"));
    assert_eq!(all["price-sources.json"], "[]\n");
    // Each file is as the list says.
    let listed = all["files.csv"].lines().skip(1);
    let listed: Vec<Vec<&str>> = listed.map(|line| line.split(',').collect()).collect();
    assert_eq!(listed.len(), all.len() - 1);
    for row in listed {
        let hash = Sha256::digest(all[row[0]].as_bytes());
        let digits: Vec<String> = hash.iter().map(|byte| format!("{byte:02x}")).collect();
        assert_eq!(row[5], digits.concat(), "{}", row[0]);
    }
}

#[test]
fn a_member_gets_all_of_an_account() {
    let service = two_accounts();
    let browser = browser_of(&service, "Ada");
    let links = links(&browser.page("/settings"));
    let own = "/settings/export?account=home";
    assert!(links.contains(&own.to_owned()), "{links:?}");
    assert!(!links.contains(&EVERYTHING.to_owned()));
    let all = files(&browser.get(own));
    assert!(all["readings/house.csv"].contains("350.5"));
    assert!(all["keys.json"].contains("house-id"));
    // Neither of other accounts, nor of the service.
    for (file, text) in all.iter().filter(|(file, _)| *file != "README.md") {
        for foreign in ["shop", "till", "Ada"] {
            assert!(!text.contains(foreign), "{file}: {foreign}");
        }
    }
    for file in [
        "people.json",
        "linked-users.json",
        "wall-tablets.json",
        "home-assistants.json",
        "price-sources.json",
    ] {
        assert!(!all.contains_key(file), "{file}");
    }
    // The administrator finds it at the account.
    let administrator = Browser::set_up(&service);
    let page = administrator.page("/settings/account?name=home");
    assert!(crate::pages::links::links(&page).contains(&own.to_owned()));
    assert_eq!(files(&administrator.get(own)), all);
}

#[test]
fn each_account_has_one_archive_at_a_time() {
    let service = history_on_disk();
    let browser = Browser::set_up(&service);
    // Nobody reads it, and it fits into no buffer of the network.
    let (connection, head) = browser.begin(EVERYTHING);
    assert_eq!(head.status, 200);
    let refused = browser.get(EVERYTHING);
    assert_eq!(refused.status(), 503);
    assert!(refused.text().contains("busy"), "{}", refused.text());
    // That of another account is made meanwhile, and the place is free once the browser is gone.
    service.add_account("shop", Plan::Paid);
    files(&browser.get("/settings/export?account=shop"));
    drop(connection);
    let deadline = Instant::now() + Duration::from_mins(1);
    while browser.begin(EVERYTHING).1.status == 503 {
        assert!(Instant::now() < deadline);
        std::thread::sleep(Duration::from_millis(50));
    }
}

#[test]
fn a_failure_midway_breaks_the_archive_off() {
    let service = history_on_disk();
    let browser = Browser::set_up(&service);
    let (mut connection, head) = browser.begin(EVERYTHING);
    assert_eq!(head.status, 200);
    destroy_disk(&service);
    let mut received = Vec::new();
    let end = loop {
        match connection.receive_chunk(&mut received) {
            Ok(true) => {}
            end => break end,
        }
    };
    end.unwrap_err();
    // The bytes before the failure, if any, without the end of an archive.
    ZipArchive::new(Cursor::new(received)).unwrap_err();
}
