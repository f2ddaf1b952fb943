use super::*;

/// Reads one section of a list; else the field that is wrong.
fn read_section(key: &str, text: &str) -> Result<Lists, String> {
    let section: Table = toml::from_str(text).unwrap();
    let list = Value::Array(vec![Value::Table(section)]);
    let mut lists = Lists::default();
    match lists.read(key, &list, &|_| String::new()) {
        Ok(is_list) => {
            assert!(is_list);
            Ok(lists)
        }
        Err(ConfigError::Invalid { key, .. }) => Err(key.rsplit('.').next().unwrap().to_owned()),
        Err(error) => panic!("{error}"),
    }
}

fn read_subscription(text: &str) -> Result<Subscription, String> {
    Ok(read_section("mqtt.subscriptions", text)?
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
fn other_settings_are_no_lists() {
    let mut lists = Lists::default();
    let value = Value::Integer(1);
    assert!(!lists.read("log.level", &value, &|_| String::new()).unwrap());
}

#[test]
fn a_preset_needs_nothing_else() {
    for preset in Preset::ALL {
        let subscription = read_subscription(&format!("preset = \"{}\"", preset.as_str())).unwrap();
        assert!(!subscription.mappings.is_empty());
        assert_eq!(
            (subscription.account, subscription.adds_sensors),
            (None, false)
        );
    }
    let own = read_subscription("preset = \"tasmota\"\ntopic = \"home/tasmota/+/tele/SENSOR\"\naccount = \"home\"\nadd_sensors = true").unwrap();
    assert_eq!(
        own.mappings[0].filter.as_str(),
        "home/tasmota/+/tele/SENSOR"
    );
    assert!(own.adds_sensors);
}

#[test]
fn a_subscription_describes_messages_without_a_preset() {
    let meter = read_subscription(
        "topic = \"m/+\"\nsensor = \"m-{1}\"\nwatts = \"\"\nwatts_unit = \"kW\"\nwatthours = \"/e\"\nwatthours_unit = \"kWh\"\ntime = \"/t\"",
    );
    let mapping = &meter.unwrap().mappings[0];
    assert_eq!(mapping.numbers.len(), 2);
    assert!(mapping.time.is_some());
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
        assert_eq!(read_section(key, text).unwrap().influx.len(), 1, "{text}");
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
        assert_eq!(read_section(key, text).unwrap().emoncms.len(), 1, "{text}");
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
