//! `wattkeeper notices`.

use serde_json::json;

use crate::place::both_ways;

#[test]
fn notices_are_listed_and_what_is_not_open_cannot_be_dismissed() {
    both_ways(|place| {
        place.prepare();
        assert_eq!(place.ok(&["notices"]), "");
        assert_eq!(place.json(&["notices", "list"]), json!([]));
        let error = place.error(&["notices", "dismiss", "sensor-silent:house"]);
        assert!(
            error.contains("no open notice \"sensor-silent:house\""),
            "{error}"
        );
    });
}
