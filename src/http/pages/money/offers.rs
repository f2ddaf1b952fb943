//! `/costs/offers`: the offers of an account.

use askama::Template;

use super::contract::OFFER;
use super::contracts::layout;
use super::summary::{SummaryLine, summary};
use crate::domain::Account;
use crate::http::pages::charts::AccountScope;
use crate::http::pages::frame::account_scope::AccountChip;
use crate::http::pages::frame::address::address;
use crate::http::pages::frame::response::ok;
use crate::http::pages::frame::{Layout, PageResult, Visit};
use crate::ledger::contract::Contract;

#[derive(Template)]
#[template(path = "money/offers.html")]
struct OffersPage {
    layout: Layout,
    accounts: Vec<AccountChip>,
    /// The account shown; empty if there are none.
    account: String,
    /// By name.
    offers: Vec<OfferCard>,
}

struct OfferCard {
    name: String,
    address: String,
    lines: Vec<SummaryLine>,
}

/// `GET /costs/offers`
pub(crate) async fn show(visit: Visit) -> PageResult {
    let scope = AccountScope::of_member(&visit)?;
    let layout = layout(&visit)?;
    let registry = visit.app.store.registry();
    let card = |account: &Account, offer: &Contract| {
        let name = offer.name().as_str();
        let parameters = [("account", account.name.as_str()), ("offer", name)];
        OfferCard {
            name: name.to_owned(),
            address: address(OFFER, &parameters),
            lines: summary(offer, layout.language),
        }
    };
    let account = scope.account.as_ref();
    let cards = account.map(|account| {
        let offers = registry.offers(&account.name);
        offers.map(|offer| card(account, offer)).collect()
    });
    Ok(ok(&OffersPage {
        accounts: scope.chips("costs/offers"),
        account: account.map_or_else(String::new, |account| account.name.to_string()),
        offers: cards.unwrap_or_default(),
        layout,
    }))
}
