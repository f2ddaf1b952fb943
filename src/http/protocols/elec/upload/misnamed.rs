//! Names of fields that look like those of a reading. A client that sends `power` or `timestamp`
//! means `watts` or `time`.

use super::RawReading;
use crate::http::protocols::elec::names::{TIME, WATTHOURS, WATTS};
use crate::ledger::notice::MisnamedField;

/// Longer names are not looked at.
const LONGEST: usize = 24;

/// Names that people give to each member of a reading, in lower case and without word separators. A
/// name that a known client sends beside the right one, such as `rate` and `erate_avg`, must not be
/// in this list.
const ALIKE: [(&str, &[&str]); 3] = [
    (
        TIME,
        &[
            "time",
            "times",
            "timestamp",
            "timestamps",
            "timestampms",
            "timems",
            "ts",
            "datetime",
            "date",
            "epoch",
            "unixtime",
            "unixtimestamp",
            "unix",
            "utc",
            "timeutc",
            "utctime",
            "measuredat",
            "readat",
        ],
    ),
    (
        WATTS,
        &[
            "watts",
            "watt",
            "w",
            "power",
            "powers",
            "powerw",
            "powerwatt",
            "powerwatts",
            "activepower",
            "activepowerw",
            "realpower",
            "currentpower",
            "kw",
            "powerkw",
            "kilowatt",
            "kilowatts",
        ],
    ),
    (
        WATTHOURS,
        &[
            "watthours",
            "watthour",
            "wh",
            "energy",
            "energywh",
            "kwh",
            "energykwh",
            "kilowatthours",
            "kilowatthour",
            "activeenergy",
            "totalenergy",
            "energytotal",
            "totalwh",
            "totalkwh",
            "whtotal",
            "kwhtotal",
        ],
    ),
];

/// For each member of a reading, the first name that looks like it, as sent.
#[derive(Debug, Default)]
pub(super) struct Alike([Option<String>; 3]);

impl Alike {
    /// Looks at the name of an unknown member.
    pub(super) fn see(&mut self, name: &str) {
        if name.len() > LONGEST {
            return;
        }
        let plain = |c: &char| !matches!(c, '_' | '-' | ' ' | '.');
        let plain: String = name.chars().filter(plain).collect();
        let place = ALIKE
            .iter()
            .position(|(_, alike)| alike.iter().any(|own| own.eq_ignore_ascii_case(&plain)));
        if let Some(seen) = place.and_then(|place| self.0.get_mut(place)) {
            seen.get_or_insert_with(|| name.to_owned());
        }
    }

    /// The first misnamed field for a member that the reading lacks.
    pub(super) fn misnamed(self, reading: RawReading<'_>) -> Option<MisnamedField> {
        let of_reading = ALIKE.into_iter().zip(reading).zip(self.0);
        let mut lacking = of_reading.filter(|((_, member), _)| member.is_none());
        lacking.find_map(|(((meant, _), _), sent)| {
            Some(MisnamedField {
                sent: sent?,
                meant: meant.to_owned(),
            })
        })
    }
}
