//! Of several front-ends on one database, only the leader sends.

use super::fake::{HomeAssistant, NEW};
use super::{has_night, prepared, put_token, set};
use crate::backend::TestBackend;
use crate::mqtt::house::eventually;
use crate::pages::browser::PASSWORD;
use crate::pages::service::browser_at;
use crate::place::Place;

#[test]
#[ignore = "needs postgres"]
fn of_two_front_ends_one_sends_to_postgres() {
    let home = HomeAssistant::start(NEW);
    let place = prepared(Place::at(TestBackend::postgres()), &home.url(), "");
    let others = Place::at(place.backend.again());
    put_token(&others, super::TOKEN);
    set(&others, &home.url(), "");
    let run = place.run_on(format!("{PASSWORD}\n").as_bytes(), &["password"]);
    assert_eq!(run.status, 0, "{run:?}");
    let serving = place.serve(&[]);
    eventually("the night", || has_night(&home));
    let second = others.serve(&[]);
    let page = browser_at(&second).page("/status");
    assert!(
        page.contains("Another front-end of this service sends it."),
        "{page}"
    );
    assert_eq!(home.with(|state| state.connections), 1);
    // The other one takes over.
    serving.stop();
    eventually("the other one", || {
        (home.with(|state| state.connections) == 2).then_some(())
    });
    eventually("the night", || has_night(&home));
    second.stop();
}
