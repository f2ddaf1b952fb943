use std::time::Duration;

use super::*;
use crate::domain::AccountName;
use crate::ingest::devices::Preset;
use crate::ingest::{DeviceAccount, DeviceClock};

/// Reads one section of a list; the error is the invalid field.
fn read_section(key: &str, text: &str) -> Result<Config, String> {
    let section: Table = toml::from_str(text).unwrap();
    let list = Value::Array(vec![Value::Table(section)]);
    let mut config = Config::default();
    match config.read_list(key, &list, &|_| String::new()) {
        Ok(()) => Ok(config),
        Err(ConfigError::Invalid { key, .. }) => Err(key.rsplit('.').next().unwrap().to_owned()),
        Err(error) => panic!("{error}"),
    }
}

fn read_subscription(text: &str) -> Result<Subscription, String> {
    Ok(read_section("mqtt.subscriptions", text)?
        .mqtt
        .subscriptions
        .remove(0))
}

#[track_caller]
fn assert_wrong(key: &str, text: &str, field: &str) {
    assert_eq!(
        read_section(key, text).map(drop),
        Err(field.to_owned()),
        "{text}"
    );
}

#[test]
fn a_preset_needs_nothing_else() {
    for preset in Preset::all() {
        let text = format!("preset = \"{}\"", preset.id());
        if preset.terms.usual_topic().is_empty() {
            assert_eq!(read_subscription(&text).unwrap_err(), "topic");
            continue;
        }
        let subscription = read_subscription(&text).unwrap();
        assert!(!subscription.mappings.is_empty());
        assert_eq!(subscription.account, DeviceAccount::default());
    }
    let own = read_subscription("preset = \"tasmota\"\ntopic = \"home/tasmota/+/tele/SENSOR\"\naccount = \"home\"\nadd_sensors = true").unwrap();
    assert_eq!(
        own.mappings[0].filters()[0].as_str(),
        "home/tasmota/+/tele/SENSOR"
    );
    assert!(own.account.adds_sensors);
    assert_eq!(own.account.name, AccountName::new("home").ok());
}

#[test]
fn a_subscription_describes_messages_without_a_preset() {
    let meter = read_subscription(
        "topic = \"m/+\"\nsensor = \"m-{1}\"\nwatts = \"\"\nwatts_unit = \"kW\"\nwatthours = \"/e\"\nwatthours_unit = \"kWh\"\ntime = \"/t\"",
    );
    let mapping = &meter.unwrap().mappings[0];
    assert_eq!(mapping.filters().len(), 1);
    assert!(mapping.time.is_some());
    // Sums over separate topics.
    let sum = read_subscription(
        "sensor = \"{1}\"\nwatts = \"m/+/l1# + m/+/l2#/value * -1\"\nexport_watthours = \"m/+/out#\"\nwatthours_unit = \"kWh\"",
    );
    let filters = |mapping: &crate::ingest::devices::TopicMapping| mapping.filters().len();
    assert_eq!(filters(&sum.unwrap().mappings[0]), 3);
}

#[test]
fn a_subscription_says_how_far_a_clock_may_be_behind() {
    let clock = |text: &str| read_subscription(text).map(|it| it.clock);
    let within = |hours| Ok(DeviceClock::within(Duration::from_hours(hours)));
    let preset = |name: &str, more: &str| clock(&format!("preset = \"{name}\"\n{more}"));
    assert_eq!(preset("dsmr-reader", ""), within(24));
    // Its numbers come twice, with and without a time, and must stay in order.
    assert_eq!(preset("shelly", ""), Ok(DeviceClock::OF_WAITING));
    assert_eq!(preset("shelly", "clock_within = \"48h\""), within(48));
    assert_eq!(preset("dsmr-reader", "clock_within = \"0s\""), within(0));
    let described = "topic = \"m/+\"\nwatts = \"/w\"\ntime = \"/t\"\n";
    assert_eq!(clock(described), Ok(DeviceClock::OF_HISTORY));
    assert_eq!(
        clock(&format!("{described}clock_within = \"1h\"")),
        within(1)
    );
    for wrong in ["soon", "-1h", "5", "7d", "1000000h"] {
        let section = preset("tasmota", &format!("clock_within = \"{wrong}\""));
        assert_eq!(section, Err("clock_within".to_owned()), "{wrong}");
    }
}

#[test]
fn only_some_presets_take_units_and_only_one_asks() {
    for preset in Preset::all() {
        let name = preset.id();
        let text = format!("preset = \"{name}\"\ntopic = \"N/+\"\nwatts_unit = \"kW\"");
        let takes = read_subscription(&text).is_ok();
        assert_eq!(takes, preset.terms.takes_units, "{name}");
        let text = format!("preset = \"{name}\"\ntopic = \"N/+\"");
        let asks = read_subscription(&text).unwrap().asked().is_some();
        assert_eq!(asks, name == "victron", "{name}");
    }
}

#[test]
fn the_wrong_field_of_a_subscription_is_named() {
    for (text, field) in [
        ("", "topic"),
        ("preset = \"shelly2\"", "preset"),
        ("preset = 1", "preset"),
        ("topic = \"m/+\"", "preset"),
        ("preset = \"tasmota\"\ntopic = \"a/#/b\"", "topic"),
        ("preset = \"shelly-gen1\"\ntopic = \"#\"", "topic"),
        (
            "preset = \"tasmota\"\ntopic = \"tele/plug/SENSOR\"",
            "sensor",
        ),
        ("preset = \"tasmota\"\nsensor = \"{2}\"", "sensor"),
        ("preset = \"tasmota\"\naccount = \"a\\n\"", "account"),
        ("preset = \"tasmota\"\nadd_sensors = \"yes\"", "add_sensors"),
        ("preset = \"tasmota\"\nwatts = \"/p\"", "watts"),
        ("preset = \"tasmota\"\nwatthours = \"/p\"", "watthours"),
        ("preset = \"tasmota\"\ntime = \"/p\"", "time"),
        ("topic = \"m/+\"\nwatts = \"p\"", "watts"),
        ("topic = \"m/+\"\nwatts = \"/a + b\"", "watts"),
        ("topic = \"m/+\"\nexport_watts = \"/a * 0\"", "export_watts"),
        ("sensor = \"a\"\nwatts = \"m/l1# + /p\"", "topic"),
        ("sensor = \"{2}\"\nwatts = \"m/+/l1# + m/+/l2#\"", "sensor"),
        ("topic = \"m/+\"\nsensor = \"{id}\"\nwatts = \"\"", "sensor"),
        ("preset = \"amsreader\"", "topic"),
        ("preset = \"victron\"\ntopic = \"+\"", "topic"),
        (
            "preset = \"tasmota\"\nexport_watts = \"/p\"",
            "export_watts",
        ),
        (
            "preset = \"glow\"\nwatthours_unit = \"Wh\"",
            "watthours_unit",
        ),
        (
            "preset = \"esphome\"\nwatthours_unit = \"W\"",
            "watthours_unit",
        ),
        (
            "topic = \"m/+\"\nwatts = \"/p\"\nwatts_unit = \"kw\"",
            "watts_unit",
        ),
        (
            "topic = \"m/+\"\nwatts = \"/p\"\nwatthours_unit = \"kWh\"",
            "watthours_unit",
        ),
        (
            "topic = \"m/+\"\nwatthours = \"/p\"\nwatthours_unit = \"W\"",
            "watthours_unit",
        ),
    ] {
        assert_wrong("mqtt.subscriptions", text, field);
    }
}

#[test]
fn the_wrong_field_of_an_influx_mapping_is_named() {
    let key = "influx.mappings";
    for text in [
        "field = 'f'\nmeasure = 'watts'",
        "measurement = 'kWh'\ntags = { a = 'b' }\nfield = 'value'\nsensor = 'house'\nmeasure = 'watthours'\nunit = 'kWh'",
    ] {
        assert_eq!(
            read_section(key, text).unwrap().influx.mappings.len(),
            1,
            "{text}"
        );
    }
    for (text, field) in [
        ("measure = 'watts'", "field"),
        ("field = 1\nmeasure = 'watts'", "field"),
        ("field = 'f'", "measure"),
        ("field = 'f'\nmeasure = 'volts'", "measure"),
        ("field = 'f'\nmeasure = 'watts'\nunit = 'kWh'", "unit"),
        (
            "field = 'f'\nmeasure = 'watts'\nsensor = \"a\\nb\"",
            "sensor",
        ),
        ("field = 'f'\nmeasure = 'watts'\ntags = 'x'", "tags"),
        ("field = 'f'\nmeasure = 'watts'\ntags = { a = 1 }", "tags"),
    ] {
        assert_wrong(key, text, field);
    }
}

#[test]
fn the_wrong_field_of_an_emoncms_mapping_is_named() {
    let key = "emoncms.mappings";
    let whole = "node = '10'\ninput = '1'\nsensor = 'house'\nmeasure = 'watts'\nunit = 'kW'\n";
    for text in [whole, &whole.replace("unit = 'kW'\n", "")] {
        assert_eq!(
            read_section(key, text).unwrap().emoncms.mappings.len(),
            1,
            "{text}"
        );
    }
    for (old, new, field) in [
        ("node = '10'\n", "", "node"),
        ("node = '10'", "node = 10", "node"),
        ("input = '1'", "input = 1", "input"),
        ("sensor = 'house'\n", "", "sensor"),
        ("'watts'", "'volts'", "measure"),
        ("'kW'", "'kWh'", "unit"),
    ] {
        assert_wrong(key, &whole.replace(old, new), field);
    }
}
