//! Entries of an account: bills, described formats of files, offers, purchases, tenancies. Each kind is read
//! from its form, and shown as JSON; the requests are the same for all.

use serde::{Deserialize, Serialize};
use serde_json::json;

use super::bills::BillForm;
use super::error::{AdminError, wrong};
use super::money_rows::contract_row;
use super::names::owner;
use super::purchases::PurchaseForm;
use crate::domain::{AccountName, EntryKind, LocalDate, Timestamp, Zone};
use crate::ingest::table::KnownFormat;
use crate::ledger::contract::{Contract, Label, Tenancy};
use crate::ledger::kilowatthours;
use crate::store::{AccountEntry, EntryName, Registry, Store, check_format_length};

/// A request about entries. The account is `None` if there is only one. Answer:
/// [`super::Response::Rows`].
#[derive(Clone, Debug, Serialize, Deserialize)]
pub enum EntryRequest {
    /// The entries of an account; without one, the bills of all.
    List {
        /// The kind.
        kind: EntryKind,
        /// The account.
        account: Option<String>,
    },
    /// Adds an entry, replacing the one of the same name. The answer has it, and then all.
    Put {
        /// The account.
        account: Option<String>,
        /// The entry.
        form: EntryForm,
    },
    /// Removes an entry. The answer has it, and then those that are left.
    Remove {
        /// The kind.
        kind: EntryKind,
        /// The account.
        account: Option<String>,
        /// Its name, or its number.
        name: String,
    },
}

/// An entry as typed.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub enum EntryForm {
    /// A bill.
    Bill(BillForm),
    /// A described format of files, in TOML.
    Format(String),
    /// An offer: a contract as JSON.
    Offer(String),
    /// A purchase.
    Purchase(PurchaseForm),
    /// A tenancy as JSON.
    Tenancy(String),
}

impl EntryForm {
    /// Parses the form, for an account of this zone. A bill has no number yet.
    ///
    /// # Errors
    /// [`AdminError::Field`]; of a format, [`AdminError::Refused`] names the line at fault, and it
    /// may be too long.
    pub(crate) fn entry(&self, zone: &Zone, now: Timestamp) -> Result<AccountEntry, AdminError> {
        Ok(match self {
            Self::Bill(form) => AccountEntry::Bill(0, form.bill(zone)?),
            Self::Format(text) => {
                // Before it is parsed: a table of TOML takes a hundred times the memory of its text.
                check_format_length(text)?;
                let format = KnownFormat::parse(text).map_err(AdminError::Refused)?;
                AccountEntry::Format(label(&format.name)?, text.as_str().into())
            }
            Self::Offer(text) => AccountEntry::Offer(Box::new(Contract::parse(text)?)),
            Self::Purchase(form) => {
                AccountEntry::Purchase(form.purchase(LocalDate::at(now, zone))?)
            }
            Self::Tenancy(text) => AccountEntry::Tenancy(Tenancy::parse(text)?),
        })
    }
}

pub(super) fn run(
    store: &Store,
    request: EntryRequest,
    now: Timestamp,
) -> Result<Vec<String>, AdminError> {
    let registry = store.registry();
    let owner = |account: Option<String>| owner(&registry, account.as_deref());
    match request {
        EntryRequest::List { kind, account } => {
            let accounts = match (kind, account) {
                (EntryKind::Bill, None) => registry.accounts().map(|it| it.name.clone()).collect(),
                (_, account) => vec![owner(account)?],
            };
            let rows = accounts.iter();
            Ok(rows
                .flat_map(|it| entry_rows(&registry, kind, it))
                .collect())
        }
        EntryRequest::Put { account, form } => {
            let account = owner(account)?;
            let entry = put_entry(store, &account, (&form, None), now)?;
            Ok(changed(store, &account, &entry))
        }
        EntryRequest::Remove {
            kind,
            account,
            name,
        } => {
            let account = owner(account)?;
            remove_entry(store, &account, kind, &name)?;
            let name = entry_name(kind, &name)?;
            let removed = registry
                .entries(kind, &account)
                .find(|it| it.name() == name);
            Ok(removed.map_or_else(Vec::new, |it| changed(store, &account, it)))
        }
    }
}

/// An entry that was changed, and then all of its kind.
fn changed(store: &Store, account: &AccountName, entry: &AccountEntry) -> Vec<String> {
    let mut rows = vec![entry_row(account, entry)];
    rows.extend(entry_rows(&store.registry(), entry.kind(), account));
    rows
}

/// Adds an entry, replacing the one of the same name, and the one with the name that follows it.
/// Returns it. Blocks.
///
/// # Errors
/// As [`EntryForm::entry`]; [`AdminError::Field`] for an offer in another currency than the
/// contracts; [`AdminError::Unfit`] if there is no such other one, or there would be too many;
/// [`AdminError::Store`].
pub(crate) fn put_entry(
    store: &Store,
    account: &AccountName,
    (form, old): (&EntryForm, Option<&str>),
    now: Timestamp,
) -> Result<AccountEntry, AdminError> {
    let registry = store.registry();
    let zone = registry.account(account).map(|known| &known.zone);
    let entry = form.entry(zone.unwrap_or(&Zone::UTC), now)?;
    let kind = entry.kind();
    let old = old.map(|old| entry_name(kind, old)).transpose()?;
    let account = account.clone();
    Ok(store.edit(move |edit| edit.add_entry(&account, entry, old.as_ref()))?)
}

/// Removes an entry by its name or its number. Blocks.
///
/// # Errors
/// [`AdminError::Unfit`] if there is no such entry, [`AdminError::Store`].
pub fn remove_entry(
    store: &Store,
    account: &AccountName,
    kind: EntryKind,
    name: &str,
) -> Result<(), AdminError> {
    let (account, name) = (account.clone(), entry_name(kind, name)?);
    Ok(store.edit(move |edit| edit.remove_entry(&account, kind, &name))?)
}

fn entry_name(kind: EntryKind, text: &str) -> Result<EntryName, AdminError> {
    if kind == EntryKind::Bill {
        let number = text.parse();
        return number
            .map(EntryName::Number)
            .map_err(|_| wrong("remove", "expected the number of a bill", "1"));
    }
    label(text).map(EntryName::Name)
}

fn label(text: &str) -> Result<Label, AdminError> {
    Label::new(text).map_err(|error| wrong("name", error, None))
}

/// The entries of an account of a kind as JSON, by name.
fn entry_rows(registry: &Registry, kind: EntryKind, account: &AccountName) -> Vec<String> {
    let all = registry.entries(kind, account);
    all.map(|entry| entry_row(account, entry)).collect()
}

/// A row with its account before the other members.
#[derive(Serialize)]
struct OwnedRow<'a, T> {
    account: &'a AccountName,
    #[serde(flatten)]
    row: T,
}

/// An entry as JSON, with its account, as answers of the API and of commands have it. Numbers are
/// text, so that no digit is lost.
pub(crate) fn entry_row(account: &AccountName, entry: &AccountEntry) -> String {
    let row = match entry {
        AccountEntry::Bill(number, bill) => {
            let row = json!({
                "number": number,
                "from": bill.range.start().to_string(),
                "to": bill.range.end().to_string(),
                "total": bill.total,
                "kwh": bill.energy.map(kilowatthours),
                "lines": bill.lines,
            });
            serde_json::to_string(&OwnedRow { account, row })
        }
        AccountEntry::Format(name, text) => {
            let known = KnownFormat::parse(text);
            // One that a later version wrote may not be known here.
            let columns = known.map_or_else(|_| Vec::new(), |format| format.columns);
            let row = json!({ "name": name, "columns": columns, "text": &**text });
            serde_json::to_string(&OwnedRow { account, row })
        }
        AccountEntry::Offer(offer) => return contract_row(account, offer),
        AccountEntry::Purchase(purchase) => {
            let row = purchase.terms();
            serde_json::to_string(&OwnedRow { account, row })
        }
        AccountEntry::Tenancy(row) => serde_json::to_string(&OwnedRow { account, row }),
        AccountEntry::HomeAssistant(row) => serde_json::to_string(&OwnedRow { account, row }),
    };
    // All of these have a form in JSON, and writing to memory does not fail.
    row.unwrap_or_default()
}
