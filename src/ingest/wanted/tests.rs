//! Wanted places beside the whole tree; and JSON that is made to take memory, for the tests of each
//! peer.

use proptest::prelude::*;
use serde_json::json;

use super::*;

/// Values of about this length: nested lists, flat ones, objects with many members, a text of
/// escapes, long numbers.
pub(crate) fn hostile(bytes: usize) -> Vec<String> {
    let deep = format!("{}1{},", "[".repeat(110), "]".repeat(110));
    let list = |element: &str| {
        let elements = element.repeat(bytes / element.len());
        format!("[{}]", elements.trim_end_matches(','))
    };
    let member = |at: usize| format!("\"{at}\":[1],");
    let members: String = (0..bytes / 14).map(member).collect();
    vec![
        list(&deep),
        list("[[[1]]],"),
        list("1,"),
        list("\"\","),
        list("{\"a\":1},"),
        list("{\"start\":1,\"sum\":1},"),
        list("{\"start\":5e-320,\"end\":5e-320,\"value\":5e-320},"),
        format!("{{{}}}", members.trim_end_matches(',')),
        format!("\"{}\"", "\\u00e4".repeat(bytes / 6)),
        "7".repeat(bytes),
        format!("0.{}", "7".repeat(bytes)),
    ]
}

/// The most bytes that this work holds at once, on this thread.
pub(crate) fn held_by(work: impl FnOnce()) -> u64 {
    allocation_counter::measure(work).bytes_max
}

#[test]
fn wanted_places_are_kept_and_others_are_not() {
    let message = json!({
        "a": {"b": 1, "c": "x", "d": [1, [2], {"e": 3}]},
        "list": [{"v": 1}, {"v": 2, "w": 3}, {"v": 4}],
        "a/b~": null,
        "other": {"deep": [[[1]]]},
    });
    let read = |places: &WantedPlaces| places.read(message.to_string().as_bytes()).unwrap();
    for (at, kept) in [
        (vec![], json!({})),
        (vec![""], json!({})),
        (vec!["a"], json!({})),
        (vec!["/none", "/none/at/all"], json!({})),
        (
            vec!["/a/b", "/a~1b~0"],
            json!({"a": {"b": 1}, "a/b~": null}),
        ),
        (vec!["/a"], json!({"a": {}})),
        (vec!["/a/d"], json!({"a": {"d": [1, [], {}]}})),
        (vec!["/list/1/v"], json!({"list": [{}, {"v": 2}]})),
        (
            vec!["/list", "/list/0/v"],
            json!({"list": [{"v": 1}, {}, {}]}),
        ),
    ] {
        assert_eq!(read(&WantedPlaces::at(&at)), kept, "{at:?}");
    }
    let mut places = WantedPlaces::at(["/a/b"]);
    places.add_in_members(&WantedPlaces::members(["c", "deep"]));
    places.add("/list/0/v");
    let kept =
        json!({"a": {"b": 1, "c": "x"}, "list": [{"v": 1}], "a/b~": null, "other": {"deep": [[]]}});
    assert_eq!(read(&places), kept);
    assert!(places.read(b"{\"a\":1").is_err());
    assert!(places.read(b"{} {}").is_err());
}

#[test]
fn what_is_kept_is_bounded() {
    let mut places = WantedPlaces::at(["/list", "/text", "/far/99999999"]);
    places.add_in_members(&WantedPlaces::default());
    for value in hostile(1 << 20) {
        let message = format!(
            "{{\"list\":{value},\"text\":{value},\"far\":{value},\"other\":{value},\"any\":{{\"x\":{value}}}}}"
        );
        let held = held_by(|| {
            let _ = places.read(message.as_bytes());
        });
        // A text of escapes, or a long number, is held while it is read.
        assert!(held < 3 << 20, "{held} for {}", &value[..20]);
    }
    let names = (0..1_000).map(|at| format!("\"{at}\":0,"));
    let names: Vec<String> = names.collect();
    let message = format!("{{{}\"text\":5}}", names.concat());
    let kept = places.read(message.as_bytes()).unwrap();
    assert_eq!(kept.as_object().unwrap().len(), MAX_MEMBERS + 1);
    assert_eq!(kept["text"], 5);
}

#[test]
fn a_list_is_walked_without_being_kept() {
    let places = WantedPlaces::members(["v"]);
    let walk = |json: &str, list: &str| {
        let mut seen = Vec::new();
        let walked = places.each(json.as_bytes(), list, |name, value| {
            seen.push((name.map(str::to_owned), value));
            if seen.len() < 3 {
                Ok(())
            } else {
                Err("enough")
            }
        });
        (walked, seen.len())
    };
    assert_eq!(walk("{\"a\":[0,{\"b\":[1,{}]}]}", "/a/1/b"), (Ok(true), 2));
    assert_eq!(walk("{\"x\":[1],\"a\":{\"v\":1}}", "/a"), (Ok(true), 1));
    assert_eq!(walk("[]", ""), (Ok(true), 0));
    for (json, list) in [
        ("{}", "/a"),
        ("{\"a\":5}", "/a"),
        ("[[1]]", "/1"),
        ("5", ""),
        ("[]", "a"),
    ] {
        assert_eq!(walk(json, list), (Ok(false), 0), "{json}");
    }
    assert_eq!(walk("[1,2,3,4]", ""), (Err(StoppedWalk::By("enough")), 3));
    assert_eq!(walk("[1,2", "").0, Err(StoppedWalk::NotJson));
    let long = format!("[{}0]", "[[1]],".repeat(100_000));
    let held = held_by(|| {
        let walked = places.each(long.as_bytes(), "", |_, _| Ok::<(), ()>(()));
        assert_eq!(walked, Ok(true));
    });
    assert!(held < 64 << 10, "{held}");
}

/// Any JSON, not deep.
fn any_json() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i32>().prop_map(Value::from),
        "[a-z/~]{0,3}".prop_map(Value::from)
    ];
    leaf.prop_recursive(4, 40, 4, |inner| {
        prop_oneof![
            proptest::collection::vec(inner.clone(), 0..4).prop_map(Value::from),
            proptest::collection::btree_map("[ab/~01]{0,2}", inner, 0..4)
                .prop_map(|members| Value::Object(members.into_iter().collect())),
        ]
    })
}

proptest! {
    /// A wanted number or text is the one of the whole tree, wherever it is.
    #[test]
    fn wanted_places_equal_those_of_the_tree(
        message in any_json(),
        at in proptest::collection::vec("(/([ab/]|~0|~1|[012]){0,2}){0,4}", 0..6),
    ) {
        let kept = WantedPlaces::at(&at).read(message.to_string().as_bytes()).unwrap();
        for pointer in &at {
            let (whole, kept) = (message.pointer(pointer), kept.pointer(pointer));
            match whole {
                Some(Value::Array(_)) => prop_assert!(kept.is_some_and(Value::is_array)),
                Some(Value::Object(_)) => prop_assert!(kept.is_some_and(Value::is_object)),
                whole => prop_assert_eq!(kept, whole, "{}", pointer),
            }
        }
    }
}
