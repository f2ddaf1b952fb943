//! Fuzz target: the records of data that people enter.

use std::fmt::Debug;

use super::correction_records::{
    correction_key, correction_of_key, decode_correction, decode_revocation, encode_correction,
    encode_revocation,
};
use super::day_records::{days_of, year_key, year_of_key};
use super::entry::AccountEntry;
use super::series_records::{encode_series, series_of};
use super::setting_records::{encode_setting, setting_of};
use crate::domain::{AccountName, EntryKind, ServiceSetting};
use crate::store::prices::{SeriesSlot, chunk};

/// Checks that a record that can be decoded round-trips: a correction, its revocation, an entry of
/// each kind, a setting, a price series, a chunk of its prices, a year of a day list; and that a key has only one form.
///
/// # Panics
/// If it does not round-trip.
pub fn records(bytes: &[u8]) {
    let Ok(account) = AccountName::new("home") else {
        return;
    };
    round_trips(decode_correction(1, bytes), |correction| {
        decode_correction(1, &encode_correction(correction).ok()?)
    });
    round_trips(decode_revocation(bytes), |made| {
        decode_revocation(&encode_revocation(made).ok()?)
    });
    let offer = r#"{"from":"2026-01-01","name":"x","currency":"€","components":[{"energy":{"price":0.3}}]}"#;
    for (kind, key, content) in [
        (EntryKind::Bill, "home\x0000000001", bytes),
        (EntryKind::Format, "home\0x\0", bytes),
        (EntryKind::Purchase, "home\0x", bytes),
        (EntryKind::Tenancy, "home\0x\0", bytes),
        (EntryKind::HomeAssistant, "home\0", bytes),
        (EntryKind::Format, "", b"\x01\0"),
        (EntryKind::Offer, "", offer.as_bytes()),
    ] {
        let key = if key.is_empty() {
            bytes
        } else {
            key.as_bytes()
        };
        let entry = |content: &[u8]| AccountEntry::of_record(kind, key, Some(content));
        round_trips(entry(content), |(account, one)| {
            assert_eq!(one.name().key(kind, account).as_bytes(), key);
            entry(&one.encode().ok()?)
        });
    }
    let key = ServiceSetting::MqttPassword.as_str().as_bytes();
    round_trips(setting_of(key, bytes), |(_, value)| {
        setting_of(key, &encode_setting(value).ok()?)
    });
    let slot = SeriesSlot { account, slot: 1 };
    let key = slot.key();
    let series = |bytes: &[u8]| series_of(key.as_bytes(), bytes);
    round_trips(series(bytes), |(_, name, known)| {
        series(&encode_series(name, known.count, known.currency.as_ref()).ok()?)
    });
    round_trips(chunk::decode(bytes), |prices| {
        chunk::decode(&chunk::encode(prices))
    });
    round_trips(days_of(2024, bytes), |days| {
        days_of(2024, &days.encode().ok()?)
    });
    round_trips(year_of_key(bytes), |(account, name, year)| {
        assert_eq!(year_key(account, name, *year).as_bytes(), bytes);
        year_of_key(bytes)
    });
    round_trips(
        correction_of_key(bytes),
        |(account, number, is_revocation)| {
            assert_eq!(
                correction_key(account, *number, *is_revocation).as_bytes(),
                bytes
            );
            correction_of_key(bytes)
        },
    );
    round_trips(SeriesSlot::of_chunk_key(bytes), |(slot, time)| {
        SeriesSlot::of_chunk_key(&slot.chunk_key(*time))
    });
}

fn round_trips<T: PartialEq + Debug>(found: Option<T>, again: impl Fn(&T) -> Option<T>) {
    if let Some(found) = found {
        assert_eq!(again(&found).as_ref(), Some(&found));
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::records;

    /// Valid records: corrections of two kinds, a revocation, a price series, a year of a day list.
    const SEEDS: [&[u8]; 5] = [
        b"\x01\x05house\x0a\x00\x02id\x01n\x03\x02\x04",
        b"\x01\x05house\x0a\x01\x01n\x05\x02\x01\x04\xfc\x80\x84\x1e\x00",
        b"\x01\x0c\x01\x01n",
        b"\x01\x09day-ahead\x06",
        b"\x01\x02\x03red\x05white\x03\x01\x00\x03\x01\xfb\x2c\x01\x00",
    ];

    /// A record with some of its bytes overwritten, and perhaps truncated.
    fn any_record() -> impl Strategy<Value = Vec<u8>> {
        let seed = proptest::sample::select(SEEDS.to_vec());
        let changes = proptest::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 0..4);
        (seed, changes, 0_usize..3).prop_map(|(seed, changes, cut)| {
            let mut bytes = seed.to_vec();
            for (place, byte) in changes {
                let place = place.index(bytes.len());
                bytes[place] = byte;
            }
            bytes.truncate(bytes.len() - cut);
            bytes
        })
    }

    proptest! {
        #[test]
        fn no_record_panics(changed in any_record(), any in proptest::collection::vec(any::<u8>(), 0..80)) {
            records(&changed);
            records(&any);
        }
    }
}
