//! Headers of all kinds.

use super::*;

fn find(header: &str, wishes: &Wishes) -> Result<TablePlan, Unclear> {
    let names = header.split(',').map(str::to_owned).collect();
    TablePlan::find(
        &Header {
            names,
            group: None,
            headerless_time: None,
        },
        wishes,
        &TableLayout::default(),
        None,
    )
}

fn column(column: usize) -> MeasurePlace {
    MeasurePlace {
        column,
        more: Vec::new(),
        key: None,
        unit: None,
        days: None,
    }
}

fn keyed(at: usize, key: &str) -> MeasurePlace {
    MeasurePlace {
        key: Some(key.as_bytes().to_vec()),
        ..column(at)
    }
}

fn wishes(watts: Option<&str>, watthours: Option<&str>) -> Wishes {
    Wishes {
        watts: watts.map(str::to_owned),
        watthours: watthours.map(str::to_owned),
        ..Wishes::default()
    }
}

fn said(result: Result<TablePlan, Unclear>) -> String {
    match result {
        Err(Unclear::Said(text)) => text,
        other => panic!("{other:?}"),
    }
}

#[test]
fn our_own_header() {
    let columns = find("time,watts,watthours", &Wishes::default()).unwrap();
    assert_eq!(columns.time.cells.date, 0);
    assert_eq!(columns.watts, Some(column(1)));
    assert_eq!(columns.watthours, Some(column(2)));
    let columns = find("WattHours,Time", &Wishes::default()).unwrap();
    assert_eq!((columns.time.cells.date, columns.watts), (1, None));
    assert_eq!(columns.watthours, Some(column(0)));
}

#[test]
fn columns_by_name_and_number() {
    let columns = find("when,p,e", &{
        let mut wishes = wishes(Some("p"), Some("3"));
        wishes.time = Some("1".into());
        wishes
    })
    .unwrap();
    assert_eq!(columns.time.cells.date, 0);
    assert_eq!(columns.watts, Some(column(1)));
    assert_eq!(columns.watthours, Some(column(2)));
}

#[test]
fn what_is_not_said_is_asked_for() {
    let text = said(find("time,power,energy", &Wishes::default()));
    assert!(text.contains("--watts-column"), "{text}");
    assert!(text.ends_with("they are time, power, energy"), "{text}");
    let text = said(find("when,watts", &Wishes::default()));
    assert!(text.contains("--time-column"), "{text}");
    let text = said(find("time,watts", &wishes(Some("wats"), None)));
    assert!(text.contains("\"wats\""), "{text}");
    let text = said(find("time,watts", &wishes(Some("3"), None)));
    assert!(text.contains("no column \"3\""), "{text}");

    let header = Header {
        names: vec!["1357003243".to_owned(), "239".to_owned()],
        group: None,
        headerless_time: Some(0),
    };
    let text = said(TablePlan::find(
        &header,
        &Wishes::default(),
        &TableLayout::default(),
        None,
    ));
    assert!(text.ends_with("they are 1 (1357003243), 2 (239)"), "{text}");
    let columns = TablePlan::find(
        &header,
        &wishes(Some("2"), None),
        &TableLayout::default(),
        None,
    )
    .unwrap();
    assert_eq!(
        (columns.time.cells.date, columns.watts),
        (0, Some(column(1)))
    );
}

#[test]
fn one_row_a_value() {
    let history = "entity_id,state,last_changed";
    assert_eq!(find(history, &Wishes::default()), Err(Unclear::WhichKeys));
    let columns = find(history, &wishes(Some("sensor.p"), Some("sensor.e"))).unwrap();
    assert_eq!((columns.time.cells.date, columns.key), (2, Some(0)));
    assert_eq!(columns.watts, Some(keyed(1, "sensor.p")));
    assert!(columns.series.is_empty());
    let columns = find(history, &wishes(Some("state"), None)).unwrap();
    assert_eq!((columns.key, columns.series), (None, vec![0]));

    let flux = ",result,table,_start,_stop,_time,_value,_field,_measurement,host";
    let columns = find(flux, &Wishes::default()).unwrap();
    assert_eq!((columns.time.cells.date, columns.key), (5, Some(7)));
    assert_eq!(columns.watts, Some(keyed(6, "watts")));
    assert_eq!(columns.watthours, Some(keyed(6, "watthours")));
    assert_eq!(columns.series, [8, 9]);
}

#[test]
fn filters_name_columns() {
    let mut wishes = wishes(Some("value"), None);
    wishes.filters = vec![("host".into(), "a".into())];
    let columns = find("name,time,host,value", &wishes).unwrap();
    assert_eq!(columns.filters, [(2, b"a".to_vec())]);
    assert_eq!(
        (columns.shape, columns.series.as_slice()),
        (Shape::InfluxCli, &[0][..])
    );
    wishes.filters = vec![("room".into(), "a".into())];
    assert!(said(find("name,time,host,value", &wishes)).contains("room"));
}

#[test]
fn names_and_units_choose_columns() {
    let found = |header| find(header, &Wishes::default());
    let clam = found("Start,Ende,Verbrauch (kWh)").unwrap();
    assert_eq!((clam.time.cells.date, clam.time.end.unwrap().date), (0, 1));
    assert_eq!(clam.watthours.unwrap().unit, Some("kWh"));
    let cost = found("Start,End,Consumption Cost (GBP),Consumption (kWh)").unwrap();
    assert_eq!(cost.watthours.unwrap().column, 3);
    for header in [
        "Start,End,Production (kWh),Consumption (kWh)",
        "Van,Tot,Verbruik,Teruglevering",
    ] {
        let text = said(found(header));
        assert!(text.contains("several columns of energy"), "{text}");
    }
    let both = found("timestamp,Leistung (kW),Stand (kWh)").unwrap();
    assert_eq!(
        (both.watts.unwrap().column, both.watthours.unwrap().column),
        (1, 2)
    );
}
