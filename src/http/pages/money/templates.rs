//! `/costs/templates`: tariffs to start a contract from, by country and kind.

use askama::Template;

use super::contracts::layout;
use crate::http::pages::charts::AccountScope;
use crate::http::pages::frame::account_scope::AccountChip;
use crate::http::pages::frame::address::address;
use crate::http::pages::frame::response::ok;
use crate::http::pages::frame::{Layout, PageResult, Visit};
use crate::ledger::contract::{ContractTemplate, Country, TemplateKind};
use crate::texts::Language;

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
    /// The text that is searched for, in small letters.
    search: String,
    /// The code and the name of each country, by name.
    countries: Vec<(&'static str, String)>,
    found: Vec<TemplateCard>,
}

/// A template, and the address of a new contract with it.
struct TemplateCard {
    template: &'static ContractTemplate,
    country_name: String,
    kind_name: String,
    address: String,
}

/// `GET /costs/templates?account=…&country=…&kind=…`; with `as=offer` for an offer.
pub(crate) async fn show(visit: Visit) -> PageResult {
    let scope = AccountScope::read(&visit)?;
    let layout = layout(&visit)?;
    let language = layout.language;
    let all = ContractTemplate::all();
    let (country, kind) = (visit.param("country")?, visit.param("kind")?);
    let becomes = visit.param("as")?;
    let search = visit.param("search")?.trim().to_lowercase();
    let has_any = |country: &Country| all.iter().any(|one| one.country() == *country);
    let zone = scope.account.as_ref().map(|account| &account.zone);
    let own = zone.and_then(Country::of_zone).filter(has_any);
    let country = match (&*country, own) {
        ("", Some(own)) if search.is_empty() => own.as_str().to_owned(),
        ("all", _) => String::new(),
        _ => country,
    };
    let account = scope.account.as_ref();
    let account = account.map_or_else(String::new, |account| account.name.to_string());
    let named = |country| language.word("country", Country::as_str(country));
    let codes = all.iter().map(ContractTemplate::country);
    let countries = codes.map(|code| (code.as_str(), named(code)));
    let mut countries: Vec<_> = countries.collect();
    countries.sort_by(|a, b| a.1.cmp(&b.1));
    countries.dedup();
    let is_asked = |one: &&ContractTemplate| {
        (country.is_empty() || one.country().as_str() == country)
            && (kind.is_empty() || one.kind().as_str() == kind)
            && is_found(one, &search, language)
    };
    let card = |template: &'static ContractTemplate| {
        let parameters = [
            ("account", account.as_str()),
            ("template", template.id()),
            ("as", becomes.as_str()),
        ];
        let parameters = if becomes.is_empty() {
            parameters.get(..2).unwrap_or_default()
        } else {
            &parameters
        };
        TemplateCard {
            template,
            country_name: named(template.country()),
            kind_name: language.word("template-kind", TemplateKind::as_str(template.kind())),
            address: address("costs/tariff", parameters),
        }
    };
    let found = all.iter().filter(is_asked).map(card).collect();
    Ok(ok(&TemplatesPage {
        accounts: scope.chips("costs/templates"),
        account,
        becomes,
        country,
        kind,
        search,
        countries,
        found,
        layout,
    }))
}

/// Whether each word of a search is in the texts of a template.
fn is_found(template: &ContractTemplate, search: &str, language: &Language) -> bool {
    let country = language.word("country", Country::as_str(template.country()));
    let [name, about] = [template.name(), template.about()];
    let own = [name, about].map(|text| language.tariff(text)).join(" ");
    let text = format!("{own} {name} {about} {country}");
    let text = text.to_lowercase();
    search.split_whitespace().all(|word| text.contains(word))
}
