//! Files with arbitrary contents. The black-box tests use real files of Emoncms.

use indicatif::ProgressBar;
use proptest::prelude::*;

use super::*;
use crate::cli::import::rows::ReadRows as _;
use crate::cli::import::unit::UnitWishes;
use crate::ingest::table::{ParsedRow, TimeReader, Wishes};

/// The values read from feed 1 in `dir`, or the error.
fn read(dir: &Path) -> Result<Vec<ParsedRow>> {
    let feeds = EmoncmsFeeds::open(dir)?;
    feeds.list()?;
    let wishes = Wishes {
        watts: Some("1".into()),
        ..Wishes::default()
    };
    let now = Timestamp::parse("2026-06-01T00:00:00").unwrap();
    let times = TimeReader::new(None, None, now);
    let progress = ProgressBar::hidden();
    let mut rows = FeedRows::open(&feeds, &wishes, times, UnitWishes::default(), progress)?;
    let mut found = Vec::new();
    while let Some(row) = rows.next_row()? {
        if matches!(row, ParsedRow::Bad(_)) {
            assert!(rows.place().starts_with("value "));
        }
        found.push(row);
    }
    Ok(found)
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
            prop_assert_eq!(rows.len(), dat.len() / 4);
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
        prop_assert_eq!(read(dir.path()).unwrap().len(), bytes.len() / 9);
    }
}
