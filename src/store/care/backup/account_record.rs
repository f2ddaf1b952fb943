//! The JSON record of an account.

use serde::{Deserialize, Serialize};

use crate::domain::{Account, AccountName, Phases, Plan, Timestamp, Zone};
use crate::store::care::backup::record::{is_default, parse};

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct BackupAccount {
    name: String,
    plan: Plan,
    zone: String,
    #[serde(default, skip_serializing_if = "is_default")]
    phases: Phases,
    created: i64,
}

impl From<&Account> for BackupAccount {
    fn from(account: &Account) -> Self {
        Self {
            name: account.name.as_str().to_owned(),
            plan: account.plan,
            zone: account.zone.name().to_owned(),
            phases: account.phases,
            created: account.created.millis(),
        }
    }
}

pub(crate) fn account(content: &[u8]) -> Option<Account> {
    let record: BackupAccount = parse(content)?;
    Some(Account {
        name: AccountName::new(&record.name).ok()?,
        plan: record.plan,
        zone: Zone::parse(&record.zone).ok()?,
        phases: record.phases,
        created: Timestamp::from_millis(record.created)?,
    })
}
