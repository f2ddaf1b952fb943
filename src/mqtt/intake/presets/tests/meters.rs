use super::*;

#[test]
fn dsmr_reader() {
    // Numbers as text, with leading zeros; two tariffs each way.
    let json = r#"{"id":2864217,"timestamp":"2020-10-24T22:12:13.990Z","electricity_delivered_1":"12972.117",
        "electricity_returned_1":"00746.379","electricity_delivered_2":"14730.900","electricity_returned_2":"01722.431",
        "electricity_currently_delivered":"0000.43","electricity_currently_returned":"0000.00","phase_currently_delivered_l1":null}"#;
    let time = Some("2020-10-24T22:12:13.990Z");
    assert_eq!(
        read(Preset::DsmrReader, "dsmr/json", json),
        [
            row("dsmr", Some(430.0), Some(27_703_017.0), time),
            row("dsmr-export", Some(0.0), Some(2_468_810.0), time)
        ]
    );
    // On separate topics: the unchanged tariff was sent only once.
    let mut talk = Talk::new(Preset::DsmrReader);
    let mut read =
        |name: &str, payload: &str| talk.read(&format!("dsmr/reading/electricity_{name}"), payload);
    assert_eq!(
        read("currently_delivered", "0.412"),
        [row("dsmr", Some(412.0), None, None)]
    );
    assert!(read("delivered_1", "12972.117").is_empty());
    assert_eq!(
        read("delivered_2", "14730.900"),
        [row("dsmr", None, Some(27_703_017.0), None)]
    );
    assert_eq!(
        read("delivered_2", "14730.901"),
        [row("dsmr", None, Some(27_703_018.0), None)]
    );
    assert!(read("delivered_2", "").is_empty());
    assert!(super::read(Preset::DsmrReader, "dsmr/day-consumption/electricity1", "5").is_empty());
}

#[test]
fn other_bridges_of_p1() {
    let el = r#"{"V1":226.0,"V2":229.0,"V3":226.0,"database":"dsmr","el_consumed":24488767.0,"el_returned":21190375.0,
        "p_consumed":1130.0,"p_generated":0.0,"serial":"33363137","timestamp":1642275125}"#;
    let time = Some("2022-01-15T19:32:05.000Z");
    assert_eq!(
        read(Preset::Dsmr2mqtt, "dsmr/el", el),
        [
            row("dsmr", Some(1_130.0), Some(24_488_767.0), time),
            row("dsmr-export", Some(0.0), Some(21_190_375.0), time)
        ]
    );
    let p1 = r#"{"total_power_import_kwh":13779.338,"total_power_import_t1_kwh":10830.511,"total_power_export_kwh":0,
        "active_power_w":-543,"active_power_l1_w":-676}"#;
    assert_eq!(
        read(Preset::HomewizardP1Mqtt, "homewizard/energy", p1),
        [
            row("homewizard", Some(0.0), Some(13_779_338.0), None),
            row("homewizard-export", Some(543.0), Some(0.0), None)
        ]
    );
}

#[test]
fn amsreader() {
    let mut talk = Talk::with(
        Preset::Amsreader,
        "ams/hall",
        "house",
        PresetUnits::default(),
    );
    let list = r#"{"id":"xxx","name":"AMSReader","up":190239,"t":1759602040,"vcc":3.273,"rssi":-75,"temp":-127.00,"data":{"lv":"",
        "meterId":"xxx","type":"xxx","P":5314,"Q":0,"PO":0,"QO":635,"I1":10.20,"U3":234.00},
        "realtime":{"h":1.46,"d":50.8,"t":10,"x":4.85,"he":0.00,"de":2.3}}"#;
    let time = Some("2025-10-04T18:20:40.000Z");
    assert_eq!(
        talk.read("ams/hall", list),
        [
            row("house", Some(5_314.0), None, time),
            row("house-export", Some(0.0), None, time)
        ]
    );
    // The shortest list does not contain the export. The clock is not set.
    let short = r#"{"id":"xxx","name":"AMSReader","up":190,"t":0,"data":{"P":0}}"#;
    assert_eq!(
        talk.read("ams/hall", short),
        [row(
            "house",
            Some(0.0),
            None,
            Some("1970-01-01T00:00:00.000Z")
        )]
    );
    // The registers, every hour, without `data` in one of its formats; 0 if the meter sends none.
    let registers = r#"{"t":1759602005,"P":100,"PO":0,"tPI":1234.567,"tPO":0.000}"#;
    let time = Some("2025-10-04T18:20:05.000Z");
    assert_eq!(
        talk.read("ams/hall", registers),
        [
            row("house", Some(100.0), Some(1_234_567.0), time),
            row("house-export", Some(0.0), None, time)
        ]
    );
    // Raw topics.
    assert_eq!(
        talk.read("ams/hall/meter/export/active", "250"),
        [row("house-export", Some(250.0), None, None)]
    );
    assert_eq!(
        talk.read("ams/hall/meter/import/active/accumulated", "1234.567"),
        [row("house", None, Some(1_234_567.0), None)]
    );
}

#[test]
fn tibber_pulse_bot() {
    let read = |name: &str, payload: &str| {
        read(
            Preset::TibberPulseBot,
            &format!("tibber/pulse/{name}"),
            payload,
        )
    };
    assert_eq!(read("power_total", "-250"), both("tibber", -250.0, None));
    assert_eq!(
        read("energy_import_total", "9094279.2"),
        [row("tibber", None, Some(9_094_279.2), None)]
    );
    assert_eq!(
        read("energy_export_total", "17"),
        [row("tibber-export", None, Some(17.0), None)]
    );
}

#[test]
fn glow() {
    let read = |topic: &str, payload: &str| read(Preset::Glow, topic, payload);
    let topic = "glow/A1B2/SENSOR/electricitymeter";
    let meter = r#"{"electricitymeter":{"timestamp":"2022-06-24T13:02:29Z","energy":{"export":{"cumulative":0,"units":"kWh"},
        "import":{"cumulative":4595.563,"day":10.464,"week":85.675,"month":512.937,"units":"kWh","mpan":"***","supplier":"x",
        "price":{"unitrate":0.3,"standingcharge":0.4457}}},"power":{"value":0.623,"units":"kW"}}}"#;
    let time = Some("2022-06-24T13:02:29.000Z");
    assert_eq!(
        read(topic, meter),
        [
            row("A1B2", Some(623.0), Some(4_595_563.0), time),
            row("A1B2-export", Some(0.0), None, time)
        ]
    );
    // Nothing is known yet. The gas meter uses another topic.
    let nothing = meter.replace("0.623", "-8388.608").replace("4595.563", "0");
    assert!(read(topic, &nothing).is_empty());
    assert!(read("glow/A1B2/SENSOR/gasmeter", meter).is_empty());
}

#[test]
fn iammeter() {
    let read = |payload: &str| read(Preset::Iammeter, "device/7F8A9B0C/realtime", payload);
    let phases = r#"{"method":"2-9","mac":"A1B2C3D4E5F6","version":"i.91.063T2","server":"em","SN":"7F8A9B0C",
        "Datas":[[226.3,1.41,196,424.546,0,49.99,0.62],[226.7,1.41,196,424.397,0,49.99,0.62],[226.2,1.42,198,428.223,0,49.99,0.62]]}"#;
    assert_eq!(
        read(phases),
        [
            row("7F8A9B0C", Some(590.0), Some(1_277_166.0), None),
            row("7F8A9B0C-export", Some(0.0), Some(0.0), None)
        ]
    );
    // A fourth row contains the sums; one phase; nothing known.
    let sums = phases.replace("]]}", "],[0,0,-1044,0.92,0.04,0,0]]}");
    assert_eq!(
        read(&sums),
        [
            row("7F8A9B0C", Some(0.0), Some(920.0), None),
            row("7F8A9B0C-export", Some(1_044.0), Some(40.0), None)
        ]
    );
    let one = r#"{"SN":"7F8A9B0C","Data":[236.0,4.4,1044,0.92,0.04]}"#;
    assert_eq!(read(one)[0].2, Some(920.0));
    let failed = r#"{"method":"uploadsn","mac":null,"Data":[null,null,null,null,null]}"#;
    assert!(read(failed).is_empty());
}
