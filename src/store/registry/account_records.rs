//! The records of accounts: plan, zone, and in version 2 also how the phases count.

use serde::{Deserialize, Serialize};

use crate::domain::{Account, AccountName, Phases, Plan, Timestamp, Zone};
use crate::store::error::StoreError;
use crate::store::records::record;

/// The version of the record of an account with separate phases.
const VERSION: u8 = 1;
/// The version of the record of any other account.
const PHASES_VERSION: u8 = 2;

#[derive(Serialize, Deserialize)]
// bincode stores fields by position: a change of their order or number needs a new version.
struct AccountRecord {
    plan: Plan,
    zone: String,
    created_ms: i64,
}

pub(crate) fn encode_account(account: &Account) -> Result<Vec<u8>, StoreError> {
    let record = AccountRecord {
        plan: account.plan,
        zone: account.zone.name().to_owned(),
        created_ms: account.created.millis(),
    };
    // Older builds read all accounts without this setting.
    if account.phases == Phases::default() {
        return record::encode(VERSION, &record);
    }
    record::encode(PHASES_VERSION, &(record, account.phases))
}

pub(crate) fn account_of(key: &[u8], value: &[u8]) -> Option<Account> {
    let (record, phases): (AccountRecord, Phases) = if value.first() == Some(&VERSION) {
        (record::decode(VERSION, value)?, Phases::default())
    } else {
        record::decode(PHASES_VERSION, value)?
    };
    Some(Account {
        name: AccountName::new(std::str::from_utf8(key).ok()?).ok()?,
        plan: record.plan,
        zone: Zone::parse(&record.zone).ok()?,
        phases,
        created: Timestamp::from_millis(record.created_ms)?,
    })
}
