//! `/costs/templates`: tariffs to start a contract from, by country and kind.

use askama::Template;

use super::contract::OFFER;
use super::contracts::layout;
use crate::http::pages::charts::AccountScope;
use crate::http::pages::frame::account_scope::AccountChip;
use crate::http::pages::frame::address::address;
use crate::http::pages::frame::response::ok;
use crate::http::pages::frame::{Layout, PageResult, Visit};
use crate::ledger::contract::{ContractTemplate, Country, TemplateKind};

#[derive(Template)]
#[template(path = "money/templates.html")]
struct TemplatesPage {
    layout: Layout,
    accounts: Vec<AccountChip>,
    /// The account shown; empty if there are none.
    account: String,
    /// `offer` if a chosen tariff becomes an offer; empty if it becomes a contract.
    becomes: String,
    /// The requested country and kind; empty for all.
    country: String,
    kind: String,
    /// The code and the name of each country, by name.
    countries: Vec<(&'static str, String)>,
    found: Vec<TemplateCard>,
}

/// A template, and the address of a new contract with it.
struct TemplateCard {
    template: &'static ContractTemplate,
    country: String,
    kind: String,
    address: String,
}

/// `GET /costs/templates?account=…&country=…&kind=…`; with `as=offer` for an offer.
pub(crate) async fn show(visit: Visit) -> PageResult {
    let scope = AccountScope::read(&visit)?;
    let layout = layout(&visit)?;
    let language = layout.language;
    let (country, kind) = (visit.param("country")?, visit.param("kind")?);
    let becomes = visit.param("as")?;
    let form = if becomes == "offer" {
        OFFER
    } else {
        "costs/contract"
    };
    let account = scope.account.as_ref();
    let account = account.map_or_else(String::new, |account| account.name.to_string());
    let named = |country| language.word("country", Country::as_str(country));
    let all = ContractTemplate::all();
    let codes = all.iter().map(ContractTemplate::country);
    let countries = codes.map(|code| (code.as_str(), named(code)));
    let mut countries: Vec<_> = countries.collect();
    countries.sort_by(|a, b| a.1.cmp(&b.1));
    countries.dedup();
    let is_asked = |one: &&ContractTemplate| {
        (country.is_empty() || one.country().as_str() == country)
            && (kind.is_empty() || one.kind().as_str() == kind)
    };
    let card = |template: &'static ContractTemplate| {
        let parameters = [("account", account.as_str()), ("template", template.id())];
        TemplateCard {
            template,
            country: named(template.country()),
            kind: language.word("template-kind", TemplateKind::as_str(template.kind())),
            address: address(form, &parameters),
        }
    };
    let found = all.iter().filter(is_asked).map(card).collect();
    Ok(ok(&TemplatesPage {
        accounts: scope.chips("costs/templates"),
        account,
        becomes,
        country,
        kind,
        countries,
        found,
        layout,
    }))
}
