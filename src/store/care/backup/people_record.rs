//! The JSON records of people and wall tablets in a backup, as in `record.rs`.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::domain::{
    AccountName, Membership, PasswordHash, Person, PersonName, SessionId, Timestamp, WallName,
    WallTablet,
};
use crate::store::care::backup::record::parse;
use crate::store::records::record::optional;

/// A person, with the hash of the password and the rights to each account.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct BackupPerson {
    name: String,
    password_hash: String,
    accounts: BTreeMap<String, Membership>,
    created: i64,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct BackupTablet {
    name: String,
    account: String,
    /// SHA-256 of the token.
    session: [u8; 32],
    created: i64,
    last_used: Option<i64>,
}

impl From<&Person> for BackupPerson {
    fn from(person: &Person) -> Self {
        let accounts = person.accounts.iter();
        Self {
            name: person.name.to_string(),
            password_hash: person.password.as_str().to_owned(),
            accounts: accounts.map(|(name, it)| (name.to_string(), *it)).collect(),
            created: person.created.millis(),
        }
    }
}

impl From<&WallTablet> for BackupTablet {
    fn from(tablet: &WallTablet) -> Self {
        Self {
            name: tablet.name.to_string(),
            account: tablet.account.to_string(),
            session: tablet.session.0,
            created: tablet.created.millis(),
            last_used: tablet.last_used.map(Timestamp::millis),
        }
    }
}

pub(crate) fn person(content: &[u8]) -> Option<Person> {
    let record: BackupPerson = parse(content)?;
    let accounts = record.accounts.into_iter();
    let accounts = accounts.map(|(name, it)| Some((AccountName::new(&name).ok()?, it)));
    Some(Person {
        name: PersonName::new(&record.name).ok()?,
        password: PasswordHash::parse(&record.password_hash)?,
        accounts: accounts.collect::<Option<_>>()?,
        created: Timestamp::from_millis(record.created)?,
    })
}

pub(crate) fn tablet(content: &[u8]) -> Option<WallTablet> {
    let record: BackupTablet = parse(content)?;
    Some(WallTablet {
        name: WallName::new(&record.name).ok()?,
        account: AccountName::new(&record.account).ok()?,
        session: SessionId(record.session),
        created: Timestamp::from_millis(record.created)?,
        last_used: optional(record.last_used, Timestamp::from_millis)?,
    })
}
