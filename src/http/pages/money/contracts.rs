//! `/costs/contracts`: the contracts of an account.

use std::sync::Arc;

use askama::Template;

use super::summary::{SummaryLine, summary};
use crate::chart::Wording;
use crate::domain::{AccountName, LocalDate, Zone};
use crate::http::pages::charts::AccountScope;
use crate::http::pages::frame::account_scope::AccountChip;
use crate::http::pages::frame::address::address;
use crate::http::pages::frame::response::ok;
use crate::http::pages::frame::{Layout, PageError, PageResult, Tab, Visit};
use crate::ledger::contract::{Contract, Contracts, FlatContract};
use crate::texts::Language;

#[derive(Template)]
#[template(path = "money/contracts.html")]
struct ContractsPage {
    layout: Layout,
    accounts: Vec<AccountChip>,
    /// The account shown; empty if there are none.
    account: String,
    /// The newest first.
    contracts: Vec<ContractCard>,
}

struct ContractCard {
    name: String,
    /// The dates when it is in force.
    dates: String,
    address: String,
    lines: Vec<SummaryLine>,
}

/// `GET /costs/contracts`
pub(crate) async fn show(visit: Visit) -> PageResult {
    let scope = AccountScope::read(&visit)?;
    let layout = layout(&visit)?;
    let language = layout.language;
    let account = scope.account.as_ref();
    let known = account.map(|account| contracts_of(&visit, &account.name));
    let known = known.unwrap_or_default();
    let mut cards = Vec::new();
    let mut next: Option<LocalDate> = None;
    for contract in known.all().iter().rev() {
        let from = contract.from().to_string();
        let name = account.map_or("", |account| account.name.as_str());
        cards.push(ContractCard {
            name: contract.name().to_string(),
            dates: dates(contract, next, language),
            address: address("costs/contract", &[("account", name), ("from", &from)]),
            lines: summary(contract, language),
        });
        next = Some(contract.from());
    }
    Ok(ok(&ContractsPage {
        accounts: scope.chips("costs/contracts"),
        account: account
            .map(|account| account.name.to_string())
            .unwrap_or_default(),
        contracts: cards,
        layout,
    }))
}

/// The layout of a page about costs. The parameter `done` in its address names the change that led
/// to it.
pub(super) fn layout(visit: &Visit) -> Result<Layout, PageError> {
    let language = visit.language();
    let done = match visit.param("done")?.as_str() {
        "saved" => Some(language.say("contract-done-saved")),
        "removed" => Some(language.say("contract-done-removed")),
        "offer" => Some(language.say("offer-done-saved")),
        "offer-removed" => Some(language.say("offer-done-removed")),
        "purchase" => Some(language.say("purchase-done-saved")),
        "purchase-removed" => Some(language.say("purchase-done-removed")),
        "tenancy" => Some(language.say("tenancy-done-saved")),
        "tenancy-removed" => Some(language.say("tenancy-done-removed")),
        "prices" => Some(language.say("prices-done-added")),
        "prices-removed" => Some(language.say("prices-done-removed")),
        "days" => Some(language.say("days-done-added")),
        "days-removed" => Some(language.say("days-done-removed")),
        // Anyone can write an address; unknown words show nothing.
        _ => None,
    };
    Ok(Layout {
        done,
        ..visit.layout(Tab::Costs)
    })
}

/// The contracts of an account.
pub(super) fn contracts_of(visit: &Visit, account: &AccountName) -> Arc<Contracts> {
    let registry = visit.app.store.registry();
    registry.contracts(account).cloned().unwrap_or_default()
}

/// A date in words.
pub(super) fn day(day: LocalDate, language: &Language) -> String {
    let zone = &Zone::UTC;
    Wording::new(zone, language).date(day.midnight())
}

fn dates(contract: &Contract, next: Option<LocalDate>, language: &Language) -> String {
    let last = next.and_then(|next| next.plus_days(-1));
    let from = contract.from();
    let is_always = from.to_string() == FlatContract::ALWAYS;
    match (is_always, last) {
        (true, None) => language.say("contract-always"),
        (true, Some(last)) => language.fill("contract-until", [("to", day(last, language).into())]),
        (false, None) => language.fill("contract-from", [("from", day(from, language).into())]),
        (false, Some(last)) => {
            let [from, last] = [from, last].map(|date| day(date, language));
            language.fill(
                "contract-from-to",
                [("from", from.into()), ("to", last.into())],
            )
        }
    }
}
