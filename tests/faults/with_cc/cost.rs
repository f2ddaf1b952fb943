//! The calls that a single upload costs.

use super::preload::{Control, EIO, Fault, SYNC, WRITE};
use crate::service::{Place, SENSORS, Service};

/// The number of uploads that are counted together: three times as many fit into the part of the
/// journal that the first upload creates.
const UPLOADS: u8 = 8;

/// The calls of these kinds during [`UPLOADS`] uploads, one after the other.
fn calls(control: &Control, service: &Service, kinds: i64) -> i64 {
    // Nothing fails: the calls are counted.
    control.fail(Fault {
        from: i64::MAX,
        many: 1,
        kinds,
        error: EIO,
        torn: false,
    });
    for upload in 0..UPLOADS {
        let minute = i64::from(upload) * 60_000;
        let status = service.upload(SENSORS[0], &[(minute, 1.0)]);
        assert_eq!(status, Some(200), "{}", service.said());
    }
    control.calls()
}

#[test]
#[ignore = "needs cc"]
fn an_upload_alone_is_one_write_and_one_sync() {
    let place = Place::new();
    let control = Control::new(&place);
    let service = place.start(control.load(place.serve_command())).unwrap();
    assert_eq!(service.upload(SENSORS[0], &[(0, 1.0)]), Some(200));
    for (kinds, what) in [(WRITE, "writes"), (SYNC, "syncs")] {
        let calls = calls(&control, &service, kinds);
        assert_eq!(calls, i64::from(UPLOADS), "{what}");
    }
    assert_eq!(service.stop().status, Some(0));
}
