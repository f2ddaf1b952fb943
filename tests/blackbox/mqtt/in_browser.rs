//! mosquitto, set in the browser.

use std::process::Command;

use crate::mqtt::broker::Mosquitto;
use crate::mqtt::devices::make_certificates;
use crate::mqtt::house::eventually;
use crate::pages::service::{administered, save};
use crate::place::Place;

#[test]
#[ignore = "needs mosquitto"]
fn a_mosquitto_with_tls_and_a_password_is_set_in_the_browser() {
    let dir = tempfile::tempdir().unwrap();
    make_certificates(dir.path());
    let ca = dir.path().join("ca.pem").to_str().unwrap().to_owned();
    let tls = "allow_anonymous false\npassword_file DIR/passwords\ncafile DIR/ca.pem\ncertfile DIR/cert.pem\nkeyfile DIR/key.pem\n";
    let broker = Mosquitto::start_in(dir, tls);
    let place = Place::new();
    let text = "[[mqtt.subscriptions]]\ntopic = \"plain/+\"\nwatts = \"\"";
    place.file("config.toml", text.as_bytes());
    let (serving, browser) = administered(&place);
    let sensor = ["sensor", "add", "p", "--account", "home"];
    place.ok(&[&sensor[..], &["--role", "sub-meter"]].concat());
    let tested = || {
        let answer = browser.submit("/settings/broker", "/settings/broker/test", &[]);
        answer.text().to_owned()
    };
    let address = format!("localhost:{}", broker.port);
    for (host, password, ca, expected) in [
        (&*address, "wrong", &*ca, "refuses the user or the password"),
        (&address, "hunter2", "", "No trusted authority"),
        (
            &format!("127.0.0.1:{}", broker.port),
            "hunter2",
            &ca,
            "is for another name",
        ),
    ] {
        let fields = [
            ("address", host),
            ("tls", "yes"),
            ("user", "meter"),
            ("password", password),
            ("ca_file", ca),
        ];
        save(&browser, "/settings/broker", &fields);
        let page = tested();
        assert!(page.contains(expected), "{expected}: {page}");
    }
    let fields = [
        ("address", &*address),
        ("tls", "yes"),
        ("user", "meter"),
        ("password", "hunter2"),
        ("ca_file", &ca),
        ("discovery", "yes"),
    ];
    save(&browser, "/settings/broker", &fields);
    eventually("the subscription", || {
        (broker.subscriptions() > 0).then_some(())
    });
    let port = broker.port.to_string();
    let mut publish = Command::new("mosquitto_pub");
    publish.args(["-h", "localhost", "-p", &port, "-q", "1", "-t", "plain/p"]);
    publish.args(["-m", "7", "-u", "meter", "-P", "hunter2", "--cafile", &ca]);
    assert!(publish.status().unwrap().success());
    eventually("the reading", || {
        let readings = place.ok(&["export", "--sensor", "p"]);
        (readings.lines().count() == 2).then_some(())
    });
    // Home Assistant gets the sensor, and a test does not disturb the connection.
    eventually("the announcement", || {
        let log = broker.log();
        log.contains("homeassistant/sensor/wattkeeper/p_power/config")
            .then_some(())
    });
    let before = broker.subscriptions();
    assert!(tested().contains("accepts the connection"));
    assert_eq!(broker.subscriptions(), before);
    assert!(!serving.stop().contains("hunter2"));
}
