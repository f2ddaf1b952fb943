//! Changes and queries of a store by commands, pages and the API, as [`Request`]s and
//! [`Response`]s. How these are typed or shown is not decided here.
//!
//! A store belongs to one process. A command that has it open calls [`run`] itself; if a server has
//! it, the same [`Request`] is sent through the socket. So both ways give the same results. The API
//! checks its input before it knows the account, and therefore calls the same functions with
//! checked values.
//!
//! - `message`, `response`, `rows`, `money_rows`, `people_rows`, `error`: requests, answers, errors
//! - `as_json`: answers that cross the socket as JSON; `names`: checked names in requests; `terms`: the settings of a sensor
//! - `accounts`, `keys`, `sensors`, `readings`, `corrections`, `events`, `contracts`, `prices`,
//!   `days`, `entries`, `ledger`, `notices`, `people`, `administrator`, `arrivals`: the requests of
//!   each kind
//! - `bills`, `purchases`: forms of entries
//! - `house`: the sensors that a Home Assistant feeds; `at_grid`: further ones at the grid
//! - `home_assistant`, `price_sources`: requests about settings of the service, which are carried out elsewhere
//! - `secrets`: new credentials, randomness
//! - `socket`: the Unix socket of a running server

mod accounts;
mod administrator;
mod arrivals;
mod as_json;
mod at_grid;
mod bills;
mod contracts;
mod corrections;
mod days;
mod entries;
mod error;
mod events;
mod home_assistant;
mod house;
mod keys;
mod ledger;
mod message;
mod money_rows;
mod names;
mod notices;
mod people;
mod people_rows;
mod price_sources;
mod prices;
mod purchases;
mod readings;
mod response;
mod rows;
mod secrets;
mod sensors;
pub mod socket;
mod terms;
#[cfg(test)]
mod tests;

use std::sync::Arc;

pub use administrator::set_first_password;
pub(crate) use at_grid::further_at_grid;
pub use bills::BillForm;
pub use contracts::{ContractRequest, DoubtRow, change_contracts, contract_doubts};
pub(crate) use corrections::new_beginning;
pub use corrections::{
    CorrectionForm, FactForm, add_correction, correction_doubt, revoke_correction,
};
pub use days::{DayRange, DayRequest, put_days, remove_days};
pub use entries::{EntryForm, EntryRequest, remove_entry};
pub(crate) use entries::{entry_row, put_entry};
pub use error::AdminError;
pub use events::{EventPage, EventRow, EventWalk, EventsAsked};
pub use home_assistant::{
    CountForm, HomeAssistantRequest, HomeAssistantRow, SensorWishes, TokenPlace, home_assistant_row,
};
pub(crate) use home_assistant::{
    home_assistant_rows, known_home_assistant, put_home_assistant, remove_home_assistant,
    set_sending, typed_home_assistant,
};
pub(crate) use house::{flat_contract, known_sensors, put_house};
pub use ledger::{EnergyForm, LedgerRequest, StatementForm, StatementOf};
pub use message::{ImportHow, NewAccount, NewKey, ReadingRange, Request};
pub use money_rows::{DayListRow, DayRow, PricePageRow, PriceRow, SeriesRow};
pub use notices::{dismiss_notice, notice_owners, notice_rows};
pub use people::ADMINISTRATOR;
pub use people_rows::{LinkedUserRow, Memberships, PeopleRequest, PersonRow, WallRequest, WallRow};
pub use price_sources::{PriceSourceRequest, PriceSourceRow, SourceTrialRow};
pub use prices::{PriceRequest, put_prices, typed_currency};
pub use purchases::PurchaseForm;
pub use response::{Response, UnexpectedResponse};
pub use rows::{
    AccountRow, CorrectionRow, FindingsRow, KeyRow, NoticeRow, NoticeSubjectRow, ReadingRow,
    SensorRow,
};
pub use secrets::{new_api_id, new_api_key, random};
pub use terms::{OrNone, SensorTerms};

use crate::domain::Timestamp;
use crate::store::Store;

/// Carries out one request at `now`. Blocks on the disk, and until changes are durable.
///
/// # Errors
/// An [`AdminError`] with the fault and, if possible, the remedy.
pub fn run(store: &Arc<Store>, request: Request, now: Timestamp) -> Result<Response, AdminError> {
    match request {
        Request::SetPassword { hash } => administrator::set_password(store, &hash).map(done),
        Request::People(request) => people::run(store, request, now),
        Request::Walls(request) => people::run_walls(store, request, now),
        Request::ListAccounts => Ok(Response::Accounts(accounts::list(store))),
        Request::AddAccount(account) => accounts::add(store, &account, now).map(one_account),
        Request::SetPlan { name, plan } => accounts::set_plan(store, &name, plan).map(one_account),
        Request::SetAccount { name, zone, phases } => {
            accounts::set(store, &name, zone.as_deref(), phases).map(one_account)
        }
        Request::RemoveAccount { name } => accounts::remove(store, &name).map(done),
        Request::ListKeys => Ok(Response::Keys(keys::list(store))),
        Request::AddKey(key) => keys::add(store, key, now).map(one_key),
        Request::RotateKey { api_id, key_hash } => {
            keys::rotate(store, &api_id, key_hash).map(one_key)
        }
        Request::RevokeKey { api_id } => keys::revoke(store, &api_id).map(done),
        Request::ListSensors => sensors::list(store, now).map(Response::Sensors),
        Request::FindSensor { id } => sensors::find(store, &id, now).map(one_sensor),
        Request::AddSensor { id, account, terms } => {
            sensors::add(store, &id, &account, terms, now).map(one_sensor)
        }
        Request::SetSensor { id, terms } => sensors::set(store, &id, terms, now).map(one_sensor),
        Request::AuthorizeSensor { id, authorized } => {
            sensors::authorize(store, &id, authorized, now).map(one_sensor)
        }
        Request::RemoveSensor { id } => sensors::remove(store, &id).map(done),
        Request::ListNotices => Ok(Response::Notices(notices::list(store))),
        Request::DismissNotice { account, id } => notices::dismiss(store, (account, id), now),
        Request::ListCorrections { sensor } => {
            corrections::list(store, sensor.as_deref()).map(Response::Corrections)
        }
        Request::Correct { form, is_sure } => {
            corrections::add(store, (&form, is_sure), now).map(one_correction)
        }
        Request::RevokeCorrection {
            account,
            number,
            note,
        } => {
            corrections::revoke(store, account.as_deref(), number, (now, &note)).map(one_correction)
        }
        Request::ListEvents(id, asked) => events::list(store, id, &asked).map(Response::Events),
        Request::Ledger(request) => ledger::run(store, &request, now),
        Request::Contracts(request) => contracts::run(store, request, now).map(Response::Rows),
        Request::Days(request) => days::run(store, request),
        Request::Entries(request) => entries::run(store, request, now).map(Response::Rows),
        Request::Prices(request) => prices::run(store, request),
        Request::PriceSources(_) => Err(price_sources::not_here()),
        Request::HomeAssistant(_) => Err(home_assistant::not_here()),
        Request::Import { sensor, rows, how } => {
            readings::import(store, &sensor, &rows, how).map(Response::Count)
        }
        Request::ReadPage { range, limit } => {
            readings::page(store, &range, limit).map(Response::Readings)
        }
        Request::CountReadings(range) => readings::count(store, &range).map(Response::Count),
        Request::DeleteReadings(range) => readings::delete(store, &range).map(Response::Count),
        Request::CountArrivalsAfter { time_ms } => arrivals::count_after(store, time_ms).map(count),
        Request::ForgetArrivalsAfter { time_ms } => {
            arrivals::forget_after(store, time_ms).map(count)
        }
        Request::Health => health(store),
        Request::Check => Ok(Response::Findings(store.check().into())),
        Request::ConfirmDamage => Ok(Response::Count(store.confirm_damage()? as u64)),
        Request::BackupPage(cursor) => Ok(Response::BackupPage(store.backup_page(&cursor)?)),
    }
}

fn health(store: &Store) -> Result<Response, AdminError> {
    let failed = store.unavailable().map(|error| Err(error.into()));
    failed.unwrap_or(Ok(Response::Done))
}

fn done((): ()) -> Response {
    Response::Done
}

fn count(count: u64) -> Response {
    Response::Count(count)
}

fn one_account(row: AccountRow) -> Response {
    Response::Accounts(vec![row])
}

fn one_key(row: KeyRow) -> Response {
    Response::Keys(vec![row])
}

fn one_correction(row: CorrectionRow) -> Response {
    Response::Corrections(vec![row])
}

fn one_sensor(row: SensorRow) -> Response {
    Response::Sensors(vec![row])
}
