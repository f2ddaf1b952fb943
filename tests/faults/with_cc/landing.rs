//! Power cuts between any two writes of a landing: each acknowledged upload is known by its
//! arrival, and by its assigned time, so that no time is assigned twice.

use std::collections::BTreeSet;
use std::path::Path;
use std::sync::Mutex;

use wattkeeper::OpenMode;
use wattkeeper::SensorId;
use wattkeeper::Timestamp;

use super::disk::{Event, FATES, Fate};
use super::power::{
    MANY_UPLOADS, assert_whole, cut, is_landing, record_beside, record_uploads, sources,
};
use crate::chance::Chance;
use crate::service::{Place, SENSORS, open, readings};
use crate::truth::Truth;

/// The sensor whose readings have no time.
const SENSOR: &str = SENSORS[3];
/// The number of writes of landings after which the power is cut.
const CUTS: usize = 120;

/// Asserts that the store in `image` knows the last of at least `count` uploads.
fn assert_known(image: &Path, count: usize) {
    let store = open(image, OpenMode::Existing).unwrap();
    let activity = store
        .activity(&SensorId::new(SENSOR).unwrap())
        .unwrap()
        .unwrap();
    let found = readings(&store, SENSOR);
    assert!(found.len() >= count, "{} of {count}", found.len());
    let newest = found.last_key_value().map(|(ms, _)| *ms);
    assert_eq!(activity.last_assigned.map(Timestamp::millis), newest);
    // Each was assigned the time of its arrival, or the millisecond after the one before.
    let (_, _, last_upload) = activity.arrivals.unwrap().parts();
    let ahead = newest.unwrap() - last_upload.millis();
    assert!(
        (0..=i64::try_from(found.len()).unwrap()).contains(&ahead),
        "{ahead} ms"
    );
    store.close().unwrap();
}

#[test]
#[ignore = "needs cc"]
fn the_power_is_cut_between_any_two_writes_of_a_landing() {
    let mut chance = Chance::of_this_run();
    let place = Place::new();
    let truth = Truth::default();
    // The number of records by which each upload was acknowledged.
    let known = Mutex::new(Vec::new());
    let mut recording = record_beside(
        MANY_UPLOADS,
        &place,
        &sources(),
        &truth,
        &mut chance,
        |service, control| {
            for number in 0..MANY_UPLOADS {
                let watts = f64::from(u32::try_from(number).unwrap());
                assert_eq!(service.upload_untimed(SENSOR, watts), Some(200));
                known.lock().unwrap().push(control.records());
            }
        },
    );
    let known = known.into_inner().unwrap();
    let is_landing = |number: &usize| is_landing(&recording.history[*number].0);
    let landing: Vec<usize> = (0..recording.history.len()).filter(is_landing).collect();
    let middle = landing.len() / 2;
    let cuts = &landing[middle..][..CUTS];
    let look = |image: &Path, cut: usize, fate: Fate| {
        assert_whole(image, &truth, cut, fate);
        let count = known.partition_point(|records| *records <= cut as u64);
        assert!(count > 0, "no upload before {cut}");
        assert_known(image, count);
    };
    cut(&mut recording, cuts, &mut chance, look, &FATES);
}

/// A segment of the log is overwritten only once the tail of a durable record is past it.
#[test]
#[ignore = "needs cc"]
fn the_power_is_cut_where_a_segment_is_written_over() {
    let mut chance = Chance::of_this_run();
    let place = Place::new();
    let truth = Truth::default();
    let mut recording = record_uploads(4 * MANY_UPLOADS, &place, &sources(), &truth, &mut chance);
    let mut begun = BTreeSet::new();
    let mut cuts = Vec::new();
    for (number, (path, event)) in recording.history.iter().enumerate() {
        // A new file is filled with zeros.
        let is_chunk = |bytes: &[u8]| bytes.iter().any(|byte| *byte != 0);
        if path.starts_with("log")
            && matches!(event, Event::Write { offset: 0, bytes } if is_chunk(bytes))
            && !begun.insert(path)
        {
            cuts.extend([number + 1, number + 4]);
        }
    }
    assert!(!cuts.is_empty(), "{begun:?}");
    cuts.retain(|cut| *cut <= recording.history.len());
    let cuts: Vec<usize> = cuts
        .into_iter()
        .flat_map(|cut| [cut; FATES.len()])
        .collect();
    let look = |image: &Path, cut: usize, fate: Fate| {
        assert_whole(image, &truth, cut, fate);
    };
    cut(&mut recording, &cuts, &mut chance, look, &FATES);
}
