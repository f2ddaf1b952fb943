//! Removes incomplete records, after both copies of a part were damaged.

use std::collections::BTreeMap;

use crate::store::embedded::facts::change::kind_of;
use crate::store::embedded::facts::stored::FactMap;
use crate::store::records::RecordKind;
use crate::store::registry::Registry;

/// The kinds of records that are stored in pieces: the last two bytes of a key are the number of
/// the piece.
const IN_PIECES: [RecordKind; 4] = [
    RecordKind::Contracts,
    RecordKind::Bills,
    RecordKind::Formats,
    RecordKind::Offers,
];

/// Removes unreadable records. Returns their descriptions.
pub(crate) fn drop_unreadable(facts: &mut FactMap) -> Vec<String> {
    let mut dropped = Vec::new();
    for kind in RecordKind::ALL {
        if Registry::default().reload(kind, facts).is_ok() {
            continue;
        }
        let mut records = BTreeMap::<Vec<u8>, FactMap>::new();
        for (key, value) in facts.of_kind(kind_of(kind)) {
            let length = if IN_PIECES.contains(&kind) {
                key.len().saturating_sub(2)
            } else {
                key.len()
            };
            let of = key.get(..length).unwrap_or_default().to_vec();
            let known = records.entry(of).or_default();
            known.put((kind_of(kind), key.to_vec()), value.to_vec());
        }
        for (key, record) in records {
            if Registry::default().reload(kind, &record).is_err() {
                let name = kind.name();
                dropped.push(format!(
                    "an entry of {name} cannot be read: {}",
                    key.escape_ascii()
                ));
                for (key, _) in record.iter() {
                    facts.remove(key);
                }
            }
        }
    }
    dropped
}
