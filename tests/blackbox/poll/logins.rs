//! Devices that want a password.

use sha2::{Digest as _, Sha256};

use super::device::{Device, ok, status};
use super::house::{PolledHouse, section};

const SWITCH: &str = r#"{"switch:0":{"id":0,"apower":5.5,"aenergy":{"total":7.0}}}"#;
const CHALLENGE: &str = "WWW-Authenticate: Digest qop=\"auth\", realm=\"shellyplus1pm-44179394d4d4\", nonce=\"642dabce\", algorithm=SHA-256\r\n";

fn hash(text: &str) -> String {
    let digest = Sha256::digest(text.as_bytes());
    let hex = digest.iter().map(|byte| format!("{byte:02x}"));
    hex.collect::<Vec<_>>().concat()
}

/// A parameter of the header of a login.
fn parameter<'h>(head: &'h str, name: &str) -> &'h str {
    let rest = head.split_once(&format!("{name}=\"")).unwrap().1;
    rest.split_once('"').unwrap().0
}

/// A Shelly with the password `hunter2`.
pub(crate) fn shelly() -> Device {
    Device::start(|head| {
        if !head.contains("Digest") && !head.contains("digest") {
            return status("401 Unauthorized", CHALLENGE, "");
        }
        let secret = hash("admin:shellyplus1pm-44179394d4d4:hunter2");
        let cnonce = parameter(head, "cnonce");
        let request = hash("GET:/rpc/Shelly.GetStatus");
        let expected = hash(&format!(
            "{secret}:642dabce:00000001:{cnonce}:auth:{request}"
        ));
        if parameter(head, "response") == expected && parameter(head, "username") == "admin" {
            ok(SWITCH)
        } else {
            status("401 Unauthorized", CHALLENGE, "")
        }
    })
}

#[test]
fn a_password_from_a_file_and_one_from_the_environment() {
    let (later, first) = (
        shelly(),
        Device::start(|head| {
            // `me:hunter2`.
            if head
                .to_ascii_lowercase()
                .contains("authorization: basic bwu6ahvudgvymg==")
            {
                ok(r#"{"meters":[{"power":5.5,"is_valid":true,"total":420}]}"#)
            } else {
                status(
                    "401 Unauthorized",
                    "WWW-Authenticate: Basic realm=\"x\"\r\n",
                    "",
                )
            }
        }),
    );
    let house = PolledHouse::new(
        &["later", "first"],
        &[
            section(
                "shelly",
                later.address,
                "later",
                "password_file = \"password\"",
            ),
            section(
                "shelly-gen1",
                first.address,
                "first",
                "user = \"me\"\npassword_env = \"OF_SHELLY\"",
            ),
        ],
    );
    house.place.file("password", b"hunter2\n");
    let shown = house.place.ok(&["--config", "config.toml", "config"]);
    assert!(
        shown.contains("OF_SHELLY") && !shown.contains("hunter2"),
        "{shown}"
    );
    let mut command = house
        .place
        .command(&["--json", "serve", "--listen", "127.0.0.1:0", "-v"]);
    command.env("OF_SHELLY", "hunter2");
    let serving = crate::place::Serving::start(command);
    assert_eq!(house.first("later"), (Some(5.5), Some(7.0)));
    assert_eq!(house.first("first"), (Some(5.5), Some(7.0)));
    // Everybody on the machine can read the file as the test wrote it.
    let log = serving.stop();
    assert!(log.contains("can read a password of [[poll]]"), "{log}");
    assert!(!log.contains("hunter2") && !log.contains("bWU6"), "{log}");
    // Each request has one challenge and one answer, no more.
    for (index, (_, head)) in later.requests().into_iter().enumerate() {
        let is_answer = head.to_ascii_lowercase().contains("authorization: digest");
        assert_eq!(is_answer, index % 2 == 1, "{head}");
    }
}

#[test]
fn a_wrong_password_is_told_once_and_shown_to_nobody_else() {
    let shelly = shelly();
    // In the place of a Shelly: it asks for the password itself, and does not get it.
    let thief = Device::start(|_| {
        status(
            "401 Unauthorized",
            "WWW-Authenticate: Basic realm=\"x\"\r\n",
            "",
        )
    });
    let unknown = Device::start(|_| status("401 Unauthorized", CHALLENGE, ""));
    let further = "interval = \"2s\"\npassword_file = \"password\"";
    let house = PolledHouse::new(
        &["a", "b", "c"],
        &[
            section("shelly", shelly.address, "a", further),
            section("shelly", thief.address, "b", further),
            section("shelly", unknown.address, "c", "interval = \"2s\""),
        ],
    );
    house.place.file("password", b"wrong-one\n");
    let serving = house.serve();
    for said in [
        "it refuses the password; check user and password_file",
        "it asks for a password in an unknown way",
        "it answered with status 401: set password_file",
    ] {
        serving.wait_for(said);
    }
    crate::mqtt::house::eventually("another poll", || {
        (shelly.requests().len() >= 4).then_some(())
    });
    // The right one helps at the next poll, without a restart.
    house.place.file("password", b"hunter2\n");
    assert_eq!(house.first("a"), (Some(5.5), Some(7.0)));
    serving.wait_for("poll: \"a\" answers again, after ");
    let log = serving.stop();
    assert_eq!(log.matches("it refuses the password").count(), 1, "{log}");
    assert!(!log.contains("wrong-one"), "{log}");
    let seen = thief.requests();
    assert!(
        seen.iter()
            .all(|(_, head)| !head.to_ascii_lowercase().contains("authorization"))
    );
}
