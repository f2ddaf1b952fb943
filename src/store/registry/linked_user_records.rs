//! Users of Home Assistant who are signed in by their visits: their records.
//!
//! | kind | key | record |
//! | --- | --- | --- |
//! | `linked-users` | the user's id | the user's name, the name of the person that they are linked to, none for the administrator; when |

use std::collections::BTreeMap;

use crate::domain::{HomeUser, HomeUserId, HomeUserName, LinkedUser, SessionOwner, Timestamp};
use crate::store::error::StoreError;
use crate::store::records::{RecordKind, RecordsView, record};

const VERSION: u8 = 1;

pub(super) fn encode(linked: &LinkedUser) -> Result<Vec<u8>, StoreError> {
    let (name, owner) = (linked.user.name.as_str(), linked.owner.name());
    record::encode(VERSION, &(name, owner, linked.linked.millis()))
}

fn decode(key: &[u8], value: &[u8]) -> Option<LinkedUser> {
    let (name, owner, linked_ms): (String, Option<String>, i64) = record::decode(VERSION, value)?;
    Some(LinkedUser {
        user: HomeUser {
            id: HomeUserId::new(std::str::from_utf8(key).ok()?).ok()?,
            name: HomeUserName::new(&name).ok()?,
        },
        owner: SessionOwner::named(owner.as_deref())?,
        linked: Timestamp::from_millis(linked_ms)?,
    })
}

/// All linked users. One with a damaged record is not linked any more: they sign in again, and no
/// reading is lost.
pub(super) fn load(view: &dyn RecordsView) -> Result<BTreeMap<HomeUserId, LinkedUser>, StoreError> {
    let mut all = BTreeMap::new();
    for (key, value) in view.all(RecordKind::LinkedUsers)? {
        if let Some(linked) = decode(&key, &value) {
            all.insert(linked.user.id.clone(), linked);
        } else {
            log::warn!(
                "the record of a linked user of Home Assistant is damaged: they sign in again"
            );
        }
    }
    Ok(all)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::PersonName;
    use crate::domain::time::at;

    fn linked(user: &str, owner: SessionOwner) -> LinkedUser {
        LinkedUser {
            user: HomeUser::new(HomeUserId::new(user).unwrap(), ["Ännchen"]).unwrap(),
            owner,
            linked: at(5),
        }
    }

    #[test]
    fn records_are_these_bytes() {
        let one = linked(
            "0f3c",
            SessionOwner::Person(PersonName::new("Anna").unwrap()),
        );
        let bytes = encode(&one).unwrap();
        let expected = ["\u{1}\u{8}Ännchen", "\u{1}\u{4}Anna\u{a}"].concat();
        assert_eq!(bytes, expected.as_bytes());
        assert_eq!(decode(b"0f3c", &bytes), Some(one));
        let one = linked("0f3c", SessionOwner::Administrator);
        let bytes = encode(&one).unwrap();
        assert_eq!(bytes, "\u{1}\u{8}Ännchen\0\u{a}".as_bytes());
        assert_eq!(decode(b"0f3c", &bytes), Some(one));
        assert_eq!(decode(b"", &bytes), None);
        assert_eq!(decode(b"0f3c", b"\x01\x01x\x01\0\x0a"), None);
    }
}
