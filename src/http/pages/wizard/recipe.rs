//! The steps to set up a device, with address, ids and key filled in.

use std::fmt::Write as _;

use sha2::{Digest as _, Sha256};

use super::device::Device;
use crate::http::pages::frame::own_address::OwnAddress;
use crate::texts::Language;

/// A step of a recipe.
pub(super) struct RecipeStep {
    /// The instruction, in the language of the page.
    pub(super) text: String,
    /// The lines to copy; `None` if there are none.
    pub(super) lines: Option<String>,
}

/// The values that the lines of a recipe contain.
pub(super) struct Ingredients<'a> {
    pub(super) own: &'a OwnAddress,
    /// The path of the API, without a trailing slash.
    pub(super) base_path: &'a str,
    pub(super) sensor: &'a str,
    pub(super) api_id: &'a str,
    pub(super) api_key: &'a str,
}

/// The steps for this device, in order.
pub(super) fn recipe(device: Device, of: &Ingredients<'_>, language: &Language) -> Vec<RecipeStep> {
    let step = |text: String, lines: String| RecipeStep {
        text,
        lines: Some(lines),
    };
    let note = |text: String| RecipeStep { text, lines: None };
    let say = |text: &str| language.say(text);
    match device {
        Device::Shelly => vec![note(say("wizard-shelly-device"))],
        Device::TasmotaMqtt => vec![
            note(language.fill("wizard-tasmota-menu", [("topic", of.topic().into())])),
            step(say("wizard-tasmota-period"), "TelePeriod 60".to_owned()),
        ],
        Device::Zigbee2mqtt => vec![step(
            say("wizard-zigbee2mqtt-device"),
            "advanced:\n  last_seen: ISO_8601".to_owned(),
        )],
        Device::P1 => vec![note(say("wizard-p1-device"))],
        Device::Homewizard => vec![note(say("wizard-homewizard-device"))],
        Device::Fronius => vec![note(say("wizard-fronius-device"))],
        Device::Sunspec => vec![note(say("wizard-sunspec-device"))],
        Device::Tasmota => vec![step(say("wizard-tasmota-console"), of.tasmota())],
        Device::Esphome => vec![step(say("wizard-esphome-file"), of.esphome())],
        Device::Iotawatt => vec![step(say("wizard-iotawatt-setup"), of.iotawatt())],
        Device::Emonpi => vec![step(say("wizard-emonpi-file"), of.emonpi())],
        Device::HomeAssistant => {
            let file = format!("wattkeeper_{}.yaml", slug(of.sensor));
            let packages = "homeassistant:\n  packages: !include_dir_named packages".to_owned();
            let text = language.fill("wizard-home-assistant-file", [("file", file.into())]);
            vec![
                step(say("wizard-home-assistant-packages"), packages),
                step(text, of.home_assistant()),
            ]
        }
        Device::Script => vec![
            step(say("wizard-script-shell"), of.curl()),
            step(say("wizard-script-python"), of.python()),
        ],
        Device::File => vec![
            step(say("wizard-file-command"), of.import()),
            note(say("wizard-file-formats")),
        ],
        Device::Person => vec![note(say("wizard-person-page"))],
    }
}

impl Ingredients<'_> {
    fn elec(&self) -> String {
        format!("{}{}/elec", self.own.url, self.base_path)
    }

    fn literals(&self) -> [String; 3] {
        [self.sensor, self.api_id, self.api_key].map(literal)
    }

    /// A topic for a Tasmota: the id of the sensor, if all brokers take it as it is.
    pub(super) fn topic(&self) -> &str {
        let is_plain = |c: char| c.is_ascii_alphanumeric() || "-_".contains(c);
        if !self.sensor.is_empty() && self.sensor.chars().all(is_plain) {
            self.sensor
        } else {
            "meter"
        }
    }

    fn tasmota(&self) -> String {
        let (url, [sensor, api_id, api_key]) = (self.elec(), self.literals());
        format!(
            "Rule1 ON Tele-ENERGY#Total DO Scale1 %value%,0,1,0,1000 ENDON ON Tele-ENERGY#Power DO WebQuery {url} POST \
             {{\"sensor_id\":{sensor},\"api_id\":{api_id},\"api_key\":{api_key},\"watts\":%value%,\"watthours\":%var1%}} ENDON\n\
             Rule1 1\nTelePeriod 60"
        )
    }

    fn esphome(&self) -> String {
        let (url, [sensor, api_id, api_key]) = (self.elec(), self.literals());
        format!(
            "http_request:\n  timeout: 10s\n\ninterval:\n  - interval: 60s\n    then:\n      - http_request.post:\n          url: {url}\n          \
             json: !lambda |-\n            root[\"sensor_id\"] = {sensor};\n            root[\"api_id\"] = {api_id};\n            \
             root[\"api_key\"] = {api_key};\n            root[\"watts\"] = id(power).state;"
        )
    }

    fn iotawatt(&self) -> String {
        let Self {
            own,
            sensor,
            api_id,
            api_key,
            ..
        } = self;
        format!(
            "influxDB v1\nserver URL: {}\ndatabase: home\nusername: {api_id}\npassword: {api_key}\nmeasurement: power\nfield-key: $units\n\
             tag-key: sensor\ntag-value: $name\noutput: {sensor}, Watts",
            own.url
        )
    }

    fn emonpi(&self) -> String {
        let Self {
            own,
            sensor,
            api_key,
            ..
        } = self;
        format!(
            "[[wattkeeper]]\n    Type = EmonHubEmoncmsHTTPInterfacer\n    [[[init_settings]]]\n    [[[runtimesettings]]]\n        \
             subchannels = ToEmonCMS,\n        url = {}\n        apikey = {api_key}\n        \
             senddata = 1\n        sendstatus = 0\n\n[nodes]\n    [[10]]\n        nodename = {sensor}",
            own.url
        )
    }

    fn home_assistant(&self) -> String {
        let (url, [sensor, api_id, api_key]) = (self.elec(), self.literals());
        let slug = slug(self.sensor);
        let alias = literal(&format!("Upload {} to wattkeeper", self.sensor));
        format!(
            "rest_command:\n  wattkeeper_{slug}:\n    url: {url}\n    method: post\n    content_type: application/json\n    payload: >-\n      \
             {{\"sensor_id\": {sensor}, \"api_id\": {api_id}, \"api_key\": {api_key},\n      \"watts\": {{{{ states('sensor.house_power') | float }}}}}}\n\n\
             automation:\n  - id: wattkeeper_{slug}\n    alias: {alias}\n    triggers:\n      - trigger: time_pattern\n        minutes: \"*\"\n    conditions:\n      \
             - \"{{{{ has_value('sensor.house_power') }}}}\"\n    actions:\n      - action: rest_command.wattkeeper_{slug}"
        )
    }

    fn curl(&self) -> String {
        let (url, [sensor, api_id, api_key]) = (self.elec(), self.literals());
        format!(
            "curl {url} -d '{{\"sensor_id\": {sensor}, \"api_id\": {api_id}, \"api_key\": {api_key}, \"watts\": 234, \"watthours\": 1010.2}}'"
        )
    }

    fn python(&self) -> String {
        let (url, [sensor, api_id, api_key]) = (self.elec(), self.literals());
        format!(
            "import json, urllib.request\n\ndef upload(watts, watthours):\n    reading = {{\"sensor_id\": {sensor}, \"watts\": watts, \"watthours\": watthours,\n               \
             \"api_id\": {api_id}, \"api_key\": {api_key}}}\n    request = urllib.request.Request(\"{url}\", json.dumps(reading).encode())\n    \
             with urllib.request.urlopen(request, timeout=10) as answer:\n        return json.load(answer)\n\nprint(upload(234, 1010.2))"
        )
    }

    fn import(&self) -> String {
        format!(
            "wattkeeper import history.csv --sensor {}",
            shell_word(self.sensor)
        )
    }
}

/// `text` as a JSON string, which is also a Python and a C++ string. Escapes all characters that
/// are special to a shell, to a Tasmota rule or to a template of Home Assistant, so that a copied
/// line does exactly what it shows.
fn literal(text: &str) -> String {
    let mut literal = String::from("\"");
    for c in text.chars() {
        if c.is_ascii_alphanumeric() || " -_.".contains(c) {
            literal.push(c);
        } else {
            let mut units = [0; 2];
            for unit in c.encode_utf16(&mut units) {
                // Writing to a string cannot fail.
                let _ = write!(literal, "\\u{unit:04x}");
            }
        }
    }
    literal.push('"');
    literal
}

/// A sensor's id as part of Home Assistant's names, which consist of lower-case letters and digits
/// with single underscores between them. It is unique for each sensor: if a character was left out,
/// digits of the id's SHA-256 follow.
fn slug(id: &str) -> String {
    let small = id.to_ascii_lowercase();
    let words = small.split(|c: char| !c.is_ascii_alphanumeric());
    let words: Vec<&str> = words.filter(|word| !word.is_empty()).collect();
    let mut slug = words.join("_");
    if slug != id {
        let digest = Sha256::digest(id.as_bytes());
        if !slug.is_empty() {
            slug.push('_');
        }
        for byte in digest.iter().take(4) {
            // Writing to a string cannot fail.
            let _ = write!(slug, "{byte:02x}");
        }
    }
    slug
}

/// `text` as one word of a POSIX shell.
fn shell_word(text: &str) -> String {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || "-_.".contains(c);
    if !text.is_empty() && !text.starts_with('-') && text.chars().all(is_plain) {
        return text.to_owned();
    }
    format!("'{}'", text.replace('\'', "'\\''"))
}

#[cfg(test)]
mod tests {
    use super::*;

    const ODD: [&str; 5] = [
        "house",
        "it's $(rm) `x` \"%value%\" \\ <b>",
        "Wärme 🔥",
        "{{ x }}",
        "",
    ];

    #[test]
    fn literals_are_safe_to_copy() {
        for text in ODD {
            let literal = literal(text);
            let read: String = serde_json::from_str(&literal).unwrap();
            assert_eq!(read, text);
            let inner = literal.trim_matches('"');
            let special = ['\'', '$', '`', '"', '%', ';', '<', '{', '}'];
            assert!(!inner.contains(special), "{literal}");
        }
    }

    #[test]
    fn no_two_sensors_have_one_slug() {
        let ids = [
            "house",
            "House",
            "the house",
            "the-house",
            "the_house",
            "the__house",
            "_the_house",
            "Wärme",
            "W\u{e4}rme ",
            "🔥",
            "🔥🔥",
        ];
        let slugs: std::collections::BTreeSet<String> = ids.iter().map(|id| slug(id)).collect();
        assert_eq!(slugs.len(), ids.len(), "{slugs:?}");
        assert_eq!(slug("house"), "house");
        assert_eq!(slug("the_house"), "the_house");
        for slug in slugs {
            let mut words = slug.split('_');
            let is_plain = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit();
            assert!(
                words.all(|word| !word.is_empty() && word.chars().all(is_plain)),
                "{slug}"
            );
        }
    }

    #[test]
    fn words_of_a_shell_are_one_word() {
        assert_eq!(shell_word("house-2"), "house-2");
        assert_eq!(shell_word("it's $x"), "'it'\\''s $x'");
        assert_eq!(shell_word("-x"), "'-x'");
    }
}
