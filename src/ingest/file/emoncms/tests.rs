//! Files with arbitrary contents. The black-box tests use real files of Emoncms.

use indicatif::ProgressBar;
use proptest::prelude::*;

use super::*;
use crate::ingest::file::intake::{FileIntake, Purpose};
use crate::ingest::file::spool::Spool;
use crate::ingest::table::{TimeReader, UnitWishes, Wishes};

/// The number of values read from feed 1 in `dir`, or the error.
fn read(dir: &Path) -> Result<u64> {
    let feeds = EmoncmsFeeds::open(dir)?;
    let wishes = Wishes {
        watts: Some("1".into()),
        ..Wishes::default()
    };
    let now = Timestamp::parse("2026-06-01T00:00:00").unwrap();
    let times = TimeReader::new(None, None, now);
    let progress = ProgressBar::hidden();
    let read = |purpose| {
        let mut intake = FileIntake::new(&wishes, UnitWishes::default(), purpose);
        read_feeds(&feeds, &wishes, &times, &progress, &mut intake).map(|()| intake)
    };
    assert_eq!(read(Purpose::List)?.listed().0.len(), 1);
    let tally = read(Purpose::Take(Spool::new(dir)))?.tally;
    assert!(tally.shown.iter().all(|text| text.starts_with("value ")));
    Ok(tally.read)
}

proptest! {
    #[test]
    fn each_value_is_a_row_whatever_the_bytes(
        meta in proptest::collection::vec(any::<u8>(), 16),
        dat in proptest::collection::vec(any::<u8>(), 0..64),
    ) {
        let dir = tempfile::tempdir().unwrap();
        fs::write(dir.path().join("1.meta"), &meta).unwrap();
        fs::write(dir.path().join("1.dat"), &dat).unwrap();
        if let Ok(rows) = read(dir.path()) {
            prop_assert_eq!(rows, u64::try_from(dat.len() / 4).unwrap());
        }
        fs::write(dir.path().join("1.meta"), &meta[1..]).unwrap();
        prop_assert!(read(dir.path()).is_err());
    }

    #[test]
    fn each_record_is_a_row_whatever_the_bytes(
        bytes in proptest::collection::vec(prop_oneof![Just(249_u8), any::<u8>()], 0..100),
    ) {
        let dir = tempfile::tempdir().unwrap();
        fs::write(dir.path().join("feed_1.MYD"), &bytes).unwrap();
        prop_assert_eq!(read(dir.path()).unwrap(), u64::try_from(bytes.len() / 9).unwrap());
    }
}
