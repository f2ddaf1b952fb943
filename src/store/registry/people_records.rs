//! The records of people and wall tablets.
//!
//! | kind | key | record |
//! | --- | --- | --- |
//! | `people` | name | the argon2id hash of the password as a PHC string, when they were added |
//! | `people` | name, 0x00, account | 0 for a viewer, 1 for a member, 2 for a tenant |
//! | `tablets` | name | account, SHA-256 of the token, when it was made, when it was used last |
//!
//! A person's right to an account is a record of its own: a person may have rights to many
//! accounts.

use std::collections::BTreeMap;

use crate::domain::{
    AccountName, Membership, PasswordHash, Person, PersonName, SessionId, Timestamp, WallName,
    WallTablet,
};
use crate::store::error::StoreError;
use crate::store::records::{RecordKind, RecordsView, record};

const VERSION: u8 = 1;

/// The key of a person's right to an account. No name contains 0x00.
pub(crate) fn membership_key(name: &PersonName, account: &AccountName) -> String {
    format!("{name}\0{account}")
}

/// The record of a person, without the rights.
pub(crate) fn encode_person(person: &Person) -> Result<Vec<u8>, StoreError> {
    let record = (person.password.as_str(), person.created.millis());
    record::encode(VERSION, &record)
}

pub(crate) fn encode_membership(membership: Membership) -> Result<Vec<u8>, StoreError> {
    record::encode(VERSION, &membership)
}

pub(crate) fn encode_tablet(tablet: &WallTablet) -> Result<Vec<u8>, StoreError> {
    let (created_ms, used) = (tablet.created.millis(), tablet.last_used);
    let record = (
        tablet.account.as_str(),
        tablet.session.0,
        created_ms,
        used.map(Timestamp::millis),
    );
    record::encode(VERSION, &record)
}

/// One record of people.
pub(crate) enum PeopleRow {
    /// A person, without rights yet.
    Person(Person),
    /// A person's right to an account.
    Membership(PersonName, AccountName, Membership),
}

/// The record with this key; `None` if it is invalid.
pub(crate) fn people_row(key: &[u8], value: &[u8]) -> Option<PeopleRow> {
    let key = std::str::from_utf8(key).ok()?;
    if let Some((name, account)) = key.split_once('\0') {
        return Some(PeopleRow::Membership(
            PersonName::new(name).ok()?,
            AccountName::new(account).ok()?,
            record::decode(VERSION, value)?,
        ));
    }
    let (password, created_ms): (String, i64) = record::decode(VERSION, value)?;
    Some(PeopleRow::Person(Person {
        name: PersonName::new(key).ok()?,
        password: PasswordHash::parse(&password)?,
        accounts: BTreeMap::new(),
        created: Timestamp::from_millis(created_ms)?,
    }))
}

pub(crate) fn tablet_of(key: &[u8], value: &[u8]) -> Option<WallTablet> {
    let (account, session, created_ms, used_ms): (String, [u8; 32], i64, Option<i64>) =
        record::decode(VERSION, value)?;
    Some(WallTablet {
        name: WallName::new(std::str::from_utf8(key).ok()?).ok()?,
        account: AccountName::new(&account).ok()?,
        session: SessionId(session),
        created: Timestamp::from_millis(created_ms)?,
        last_used: record::optional(used_ms, Timestamp::from_millis)?,
    })
}

/// All people.
pub(crate) fn load(view: &dyn RecordsView) -> Result<BTreeMap<PersonName, Person>, StoreError> {
    let mut people = BTreeMap::<PersonName, Person>::new();
    for (key, value) in view.all(RecordKind::People)? {
        let mut put = || {
            match people_row(&key, &value)? {
                PeopleRow::Person(person) => {
                    people.insert(person.name.clone(), person);
                }
                PeopleRow::Membership(name, account, membership) => {
                    // In the order of keys, a person comes before their rights.
                    let person = people.get_mut(&name)?;
                    person.accounts.insert(account, membership);
                }
            }
            Some(())
        };
        put().ok_or_else(|| {
            StoreError::Damaged(format!(
                "the record of person {} is damaged",
                key.escape_ascii()
            ))
        })?;
    }
    Ok(people)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn records_are_these_bytes() {
        let hash = "$argon2id$v=19$m=8,t=1,p=1$AAAAAAAAAAA$AAAAAAAAAAAAAAAA";
        let person = Person {
            name: PersonName::new("Anna").unwrap(),
            password: PasswordHash::parse(hash).unwrap(),
            accounts: BTreeMap::new(),
            created: Timestamp::from_millis(5).unwrap(),
        };
        let bytes = encode_person(&person).unwrap();
        assert_eq!(bytes, [b"\x01\x37", hash.as_bytes(), b"\x0a"].concat());
        let found = people_row(b"Anna", &bytes);
        assert!(matches!(found, Some(PeopleRow::Person(it)) if it == person));
        assert!(people_row(b"Anna", b"\x01\x01x\x0a").is_none());

        let home = AccountName::new("home").unwrap();
        assert_eq!(membership_key(&person.name, &home), "Anna\0home");
        for (byte, membership) in [
            (0, Membership::Viewer),
            (1, Membership::Member),
            (2, Membership::Tenant),
        ] {
            assert_eq!(encode_membership(membership).unwrap(), [1, byte]);
            let found = people_row(b"Anna\0home", &[1, byte]);
            assert!(matches!(found, Some(PeopleRow::Membership(_, _, it)) if it == membership));
        }
        assert!(people_row(b"Anna\0home", &[1, 3]).is_none());

        let tablet = WallTablet {
            name: WallName::new("hall").unwrap(),
            account: home,
            session: SessionId([7; 32]),
            created: person.created,
            last_used: Timestamp::from_millis(6),
        };
        let bytes = encode_tablet(&tablet).unwrap();
        let expected = [b"\x01\x04home".as_slice(), &[7; 32], b"\x0a\x01\x0c"].concat();
        assert_eq!(bytes, expected);
        assert_eq!(tablet_of(b"hall", &bytes), Some(tablet));
        assert_eq!(tablet_of(b"", &bytes), None);
    }
}
