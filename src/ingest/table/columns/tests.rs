//! Headers of all kinds.

use super::*;

fn find(header: &str, wishes: &Wishes) -> Result<TableColumns, Unclear> {
    let names = header.split(',').map(str::to_owned).collect();
    TableColumns::find(
        &Header {
            names,
            group: None,
            headerless_time: None,
        },
        wishes,
    )
}

fn wishes(watts: Option<&str>, watthours: Option<&str>) -> Wishes {
    Wishes {
        watts: watts.map(str::to_owned),
        watthours: watthours.map(str::to_owned),
        ..Wishes::default()
    }
}

fn said(result: Result<TableColumns, Unclear>) -> String {
    match result {
        Err(Unclear::Said(text)) => text,
        other => panic!("{other:?}"),
    }
}

#[test]
fn our_own_header() {
    let columns = find("time,watts,watthours", &Wishes::default()).unwrap();
    assert_eq!(columns.time, 0);
    assert_eq!(columns.watts, Some(column(1)));
    assert_eq!(columns.watthours, Some(column(2)));
    let columns = find("WattHours,Time", &Wishes::default()).unwrap();
    assert_eq!((columns.time, columns.watts), (1, None));
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
    assert_eq!(columns.time, 0);
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
    let text = said(TableColumns::find(&header, &Wishes::default()));
    assert!(text.ends_with("they are 1 (1357003243), 2 (239)"), "{text}");
    let columns = TableColumns::find(&header, &wishes(Some("2"), None)).unwrap();
    assert_eq!((columns.time, columns.watts), (0, Some(column(1))));
}

#[test]
fn one_row_a_value() {
    let history = "entity_id,state,last_changed";
    assert_eq!(find(history, &Wishes::default()), Err(Unclear::WhichKeys));
    let columns = find(history, &wishes(Some("sensor.p"), Some("sensor.e"))).unwrap();
    assert_eq!((columns.time, columns.key), (2, Some(0)));
    assert_eq!(columns.watts, Some(keyed(1, "sensor.p")));
    assert!(columns.series.is_empty());
    let columns = find(history, &wishes(Some("state"), None)).unwrap();
    assert_eq!((columns.key, columns.series), (None, vec![0]));

    let flux = ",result,table,_start,_stop,_time,_value,_field,_measurement,host";
    let columns = find(flux, &Wishes::default()).unwrap();
    assert_eq!((columns.time, columns.key), (5, Some(7)));
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
