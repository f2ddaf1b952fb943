//! `wattkeeper person` and `wattkeeper wall`.

use serde_json::json;

use crate::place::{Place, both_ways};

const PASSWORD: &[u8] = b"battery staple\n";

#[test]
fn people_are_added_changed_and_removed() {
    both_ways(|place| {
        place.prepare();
        place.ok(&["account", "add", "shop", "--tz", "UTC"]);
        let add = [
            "--json", "person", "add", "Anna", "--member", "home", "--viewer", "shop",
        ];
        let mut added = place.run_on(PASSWORD, &add).json();
        assert!(added.as_object_mut().unwrap().remove("created").is_some());
        let accounts = json!({"home": "member", "shop": "viewer"});
        assert_eq!(added, json!({"name": "Anna", "accounts": accounts}));
        let again = place.run_on(PASSWORD, &add[1..]).error();
        assert!(again.contains("there is a person \"Anna\""), "{again}");
        let bert = place.run_on(PASSWORD, &["person", "add", "Bert"]);
        assert_eq!(bert.out, "added Bert: sees no account\n");

        let list = place.ok(&["person", "list"]);
        let line = list.lines().nth(1).unwrap();
        assert!(
            line.starts_with("Anna  home (member), shop (viewer)"),
            "{list}"
        );
        assert!(!list.contains("argon2"));
        let set = place.ok(&["person", "set", "Anna", "--viewer", "home"]);
        assert_eq!(set, "set Anna: home (viewer)\n");
        let set = place.run_on(b"another password\n", &["person", "password", "Anna"]);
        assert!(set.out.contains("signed out"), "{set:?}");
        place.ok(&["person", "remove", "Anna"]);
        assert_eq!(place.json(&["person", "list"]).as_array().unwrap().len(), 1);
    });
}

#[test]
fn mistakes_say_what_to_do() {
    let place = Place::new();
    place.prepare();
    let add = |arguments: &[&str], password: &[u8]| {
        let arguments = [&["person", "add"], arguments].concat();
        place.run_on(password, &arguments).error()
    };
    for (arguments, password, mentions) in [
        (
            &["Administrator"][..],
            PASSWORD,
            "the administrator's, such as Anna",
        ),
        (&["Anna "], PASSWORD, "no spaces around it"),
        (
            &["Anna", "--member", "x"],
            PASSWORD,
            "there is no account \"x\"",
        ),
        (
            &["Anna", "--member", "home", "--viewer", "home"],
            PASSWORD,
            "named twice",
        ),
        (&["Anna"], b"short\n", "too short"),
    ] {
        let error = add(arguments, password);
        assert!(error.contains(mentions), "{error}");
    }
    for command in ["password", "remove", "set"] {
        let error = place.run_on(PASSWORD, &["person", command, "Anna"]).error();
        assert!(error.contains("there is no person \"Anna\""), "{error}");
    }
    let error = place.error(&["wall", "revoke", "hall"]);
    assert!(
        error.contains("there is no wall tablet \"hall\""),
        "{error}"
    );
    let error = place.error(&["wall", "add", "hall", "x"]);
    assert!(error.contains("there is no account \"x\""), "{error}");
    assert_eq!(place.json(&["person", "list"]), json!([]));
}

#[test]
fn a_link_opens_a_tablet_and_is_logged_nowhere() {
    let place = Place::new();
    place.prepare();
    let added = place.json(&["wall", "add", "hall", "home"]);
    let path = added["path"].as_str().unwrap();
    let token = path.strip_prefix("/wall/open?token=").unwrap();
    assert_eq!(token.len(), 43);
    let list = place.ok(&["wall", "list"]);
    assert!(list.contains("hall") && !list.contains(token), "{list}");

    let server = place.serve(&["-vv"]);
    let get = |path: &str, cookie: &str| {
        let config = ureq::Agent::config_builder().http_status_as_error(false);
        let agent = config.build().new_agent();
        let request = agent.get(format!("{}{path}", server.url));
        let response = request.header("Cookie", cookie).call().unwrap();
        let set = response.headers().get("set-cookie");
        let set = set.map_or("", |it| it.to_str().unwrap()).to_owned();
        (response.status().as_u16(), set)
    };
    let (status, set) = get(path, "");
    assert_eq!(status, 200);
    let cookie = set.split(';').next().unwrap();
    assert_eq!(get("/wall", cookie).0, 200);
    place.ok(&["wall", "revoke", "hall"]);
    assert_eq!(get("/wall", cookie).0, 403);
    assert_eq!(get(path, "").0, 403);
    let said = server.stop();
    assert!(said.contains("GET /wall/open 200"), "{said}");
    assert!(!said.contains(token), "{said}");
    // Nor is it in any file of the store.
    let files = walk(&place.data_dir());
    assert!(files.iter().any(|file| contains(file, b"home")));
    assert!(!files.iter().any(|file| contains(file, token.as_bytes())));
}

/// The contents of all files in a folder.
fn walk(folder: &std::path::Path) -> Vec<Vec<u8>> {
    let mut all = Vec::new();
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            all.extend(walk(&path));
        } else if path.is_file() {
            all.push(std::fs::read(path).unwrap());
        }
    }
    all
}

fn contains(content: &[u8], part: &[u8]) -> bool {
    content.windows(part.len()).any(|window| window == part)
}

#[test]
fn linked_users_of_home_assistant_are_listed() {
    both_ways(|place| {
        place.prepare();
        let none = place.run(&["person", "linked"]).err;
        let said = "No user of Home Assistant is linked";
        assert!(none.contains(said), "{none}");
        assert_eq!(place.json(&["person", "linked"]), json!([]));
        let error = place.error(&["person", "unlink", "0f3c"]);
        let said = "there is no linked user \"0f3c\" of Home Assistant";
        assert!(error.contains(said), "{error}");
    });
}
