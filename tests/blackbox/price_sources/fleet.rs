//! Of several front-ends on one database, only the leader asks.

use std::collections::BTreeSet;
use std::thread;
use std::time::Duration;

use super::market::{asked, await_prices, market, section, url};
use crate::backend::TestBackend;
use crate::pages::service::{administered, browser_at};
use crate::place::Place;

#[test]
#[ignore = "needs postgres"]
fn of_two_front_ends_one_asks() {
    let source = market();
    let place = Place::at(TestBackend::postgres());
    let others = Place::at(place.backend.again());
    for place in [&place, &others] {
        let text = section(&url(&source), "spot", "");
        place.file("config.toml", text.as_bytes());
    }
    let (serving, _browser) = administered(&place);
    let second = others.serve(&[]);
    await_prices(&place, "spot", |count| count >= 23);
    thread::sleep(Duration::from_secs(3));
    let requests = source.requests();
    let starts: BTreeSet<i64> = requests.iter().map(|(_, head)| asked(head).0).collect();
    assert_eq!(starts.len(), requests.len());
    let page = browser_at(&second).page("/settings/price-sources");
    assert!(
        page.contains("Another front-end of this service asks it."),
        "{page}"
    );
    drop((serving.stop(), second.stop()));
}
