//! `/costs/contract`: adds, changes and removes a contract. A contract that the form cannot show is
//! edited as JSON, so that no part of it is lost.

use std::fmt::Display;

use actix_web::HttpResponse;
use askama::Template;

use super::contracts::{contracts_of, day, layout};
use super::doubt_words;
use super::form::{ContractForm, RateChoice};
use super::summary::{month_name, summary};
use crate::admin::{ContractRequest, Request};
use crate::domain::{AccountName, Currency, LocalDate, Sensor, Weekday, Zone};
use crate::http::pages::frame::account_scope::known_account;
use crate::http::pages::frame::admin_call::admin_call;
use crate::http::pages::frame::response::{leads_to, ok};
use crate::http::pages::frame::seen::seen_text;
use crate::http::pages::frame::typed_number::Numbers;
use crate::http::pages::frame::{Layout, PageError, PageResult, Visit};
use crate::ledger::contract::{Contract, ContractTemplate, Contracts, Period, TaxBase};
use crate::query::first_reading;

/// The readings of so many days before the first contract need no question.
const UNPRICED_DAYS: i32 = 7;

#[derive(Template)]
#[template(path = "money/contract.html")]
pub(super) struct ContractPage {
    layout: Layout,
    account: String,
    /// The address of the form: of a contract, or of an offer.
    action: &'static str,
    /// Whether it is an offer, which is not in force.
    is_offer: bool,
    /// The key of the contract being changed, the first day or the name of an offer; empty for a
    /// new one.
    pub(super) old: String,
    /// `None` to edit the JSON text.
    form: Option<ContractForm>,
    json: String,
    /// The tariff that a new contract starts from.
    template: Option<&'static ContractTemplate>,
    /// The names of the account's price series.
    series: Vec<String>,
    /// The digest of the contract being changed; empty for a new one.
    pub(super) seen: String,
    /// The first day of the first contract.
    first: Option<LocalDate>,
}

/// The address of the form of an offer.
pub(super) const OFFER: &str = "costs/offer";

impl ContractPage {
    /// An empty page whose form is sent to `action`.
    pub(super) async fn new(
        visit: &Visit,
        account: &AccountName,
        action: &'static str,
    ) -> Result<Self, PageError> {
        let name = account.clone();
        let series = visit.look(move |store| store.series(&name)).await??;
        Ok(Self {
            layout: layout(visit)?,
            account: account.to_string(),
            action,
            is_offer: action == OFFER,
            old: visit.field("old")?,
            form: None,
            json: visit.field("json")?,
            template: ContractTemplate::with_id(&visit.param("template")?),
            series: series.iter().map(|one| one.name.to_string()).collect(),
            seen: String::new(),
            first: contracts_of(visit, account)
                .all()
                .first()
                .map(Contract::from),
        })
    }

    /// Fills the form: with the typed values, else with a template, a `known` contract, or the
    /// values of most households in this currency. With `as=json` it is a text.
    pub(super) fn fill(
        &mut self,
        visit: &Visit,
        (known, currency): (Option<&Contract>, Option<&Currency>),
        today: LocalDate,
    ) -> Result<(), PageError> {
        let language = self.layout.language;
        let is_json = visit.param("as")? == "json";
        if visit.is_again() {
            let posted = || ContractForm::posted(visit);
            self.form = (!is_json).then(posted).transpose()?;
        } else if let Some(template) = self.template {
            self.take(&template.contract_from(today));
        } else if let Some(contract) = known {
            self.take(contract);
        } else {
            let mut form = ContractForm::new(language, today);
            if let Some(currency) = currency {
                currency.as_str().clone_into(&mut form.currency);
            }
            form.propose(visit)?;
            self.form = Some(form);
        }
        if is_json {
            self.form = None;
        }
        Ok(())
    }

    fn take(&mut self, contract: &Contract) {
        let household = contract.household();
        let language = self.layout.language;
        self.form = household.and_then(|one| ContractForm::of(&one, language));
        self.json = contract.to_pretty();
    }

    /// Whether there can be a contract before it, which it continues or not.
    fn has_before(&self) -> bool {
        self.first
            .is_some_and(|first| self.old != first.to_string())
    }

    /// The short name of each weekday.
    fn weekdays(&self) -> [String; 7] {
        let language = self.layout.language;
        Weekday::ALL.map(|day| language.word("contract-weekday", Weekday::as_str(day)))
    }

    /// The number and the name of each month.
    fn months(&self) -> Vec<(u8, String)> {
        let named = |month| (month, month_name(month, self.layout.language));
        (1..=12).map(named).collect()
    }
}

/// `GET /costs/contract?account=…&from=…`; without a date for a new contract, perhaps with a
/// `template`; with `as=json` as text.
pub(crate) async fn show(visit: Visit) -> PageResult {
    let account = known_account(&visit, &visit.param("account")?)?;
    let template = visit.param("template")?;
    if ContractTemplate::with_id(&template).is_some() && visit.param("as")? != "json" {
        let parameters = [("account", account.name.as_str()), ("template", &template)];
        return Ok(leads_to("costs/tariff", &parameters));
    }
    let mut page = ContractPage::new(&visit, &account.name, "costs/contract").await?;
    let known = contracts_of(&visit, &account.name);
    let from = visit.param("from")?;
    let is_new = from.is_empty() || visit.is_again() || page.template.is_some();
    let contract = begun(&known, &from).filter(|_| !is_new);
    if !is_new && contract.is_none() {
        return Err(PageError::NotFound);
    }
    if contract.is_some() {
        page.old = from;
    }
    let today = LocalDate::at(visit.app.counted_now(), &account.zone);
    let shown = contract.map(|contract| {
        let before = known.all().iter().rfind(|one| one.from() < contract.from());
        before.map_or_else(|| contract.clone(), |before| contract.after(before))
    });
    page.fill(&visit, (shown.as_ref(), known.currency()), today)?;
    if !page.old.is_empty() {
        page.seen = seen_contract(begun(&known, &page.old));
    }
    Ok(ok(&page))
}

/// `POST /costs/contract`
pub(crate) async fn save(visit: Visit) -> PageResult {
    let owner = known_account(&visit, &visit.field("account")?)?;
    let account = owner.name.clone();
    let known = contracts_of(&visit, &account);
    let old = visit.field("old")?;
    let numbers = visit.numbers();
    let contract = typed_contract(&visit, &numbers)?;
    check_beside(&visit, (&known, &old), &contract)?;
    check_meanwhile(&visit, begun(&known, &old), &contract)?;
    let mut questions = numbers.questions();
    questions
        .extend(doubt_words::questions(&visit, &owner, (&contract, begun(&known, &old))).await?);
    questions.extend(history_before(&visit, &account, (&known, &old), &contract).await?);
    visit.ask(&questions)?;
    change(&visit, &account, contract.to_string()).await?;
    let moved = begun(&known, &old).filter(|old| old.from() != contract.from());
    if let Some(old) = moved {
        change(&visit, &account, removal(old)).await?;
    }
    Ok(list(&account, "saved"))
}

/// The contract in a form, or in its JSON text.
pub(super) fn typed_contract(visit: &Visit, numbers: &Numbers) -> Result<Contract, PageError> {
    if visit.field("as")? == "json" {
        let contract = Contract::parse(&visit.field("json")?);
        return contract.map_err(|error| wrong_contract(visit, "json", &error));
    }
    let household = ContractForm::posted(visit)?.household(numbers)?;
    let contract = household.contract();
    contract.map_err(|error| wrong_contract(visit, "name", &error))
}

/// The digest of a contract.
pub(super) fn seen_contract(stored: Option<&Contract>) -> String {
    seen_text(&stored.map_or_else(String::new, Contract::to_string))
}

/// Refuses to replace a contract that was changed meanwhile, with both in words.
pub(super) fn check_meanwhile(
    visit: &Visit,
    stored: Option<&Contract>,
    contract: &Contract,
) -> Result<(), PageError> {
    if !visit.is_outdated(&seen_contract(stored))? {
        return Ok(());
    }
    if stored.is_some_and(|stored| stored.to_string() == contract.to_string()) {
        return Ok(());
    }
    let language = visit.language();
    let in_words = |contract: &Contract| {
        let lines = summary(contract, language).into_iter();
        let lines: Vec<String> = lines
            .map(|(item, price)| format!("{item}: {price}"))
            .collect();
        lines.join("; ")
    };
    let both = [stored.map(in_words).unwrap_or_default(), in_words(contract)];
    let name = stored.unwrap_or(contract).name().to_string();
    Err(visit.changed_meanwhile(&[visit.both_values(&name, both)]))
}

/// The question whether the first contract really begins long after the first reading.
pub(super) async fn history_before(
    visit: &Visit,
    account: &AccountName,
    (known, old): (&Contracts, &str),
    contract: &Contract,
) -> Result<Option<String>, PageError> {
    let from = contract.from();
    let is_kept = old == from.to_string();
    let mut others = known
        .all()
        .iter()
        .filter(|one| one.from().to_string() != old);
    if is_kept || others.any(|one| one.from() < from) {
        return Ok(None);
    }
    let registry = visit.app.store.registry();
    let own = registry.sensors().filter(|it| it.account == *account);
    let sensors: Vec<Sensor> = own.cloned().collect();
    let first = visit.look(move |store| first_reading(store, &sensors));
    let zone = registry.account(account).map(|it| it.zone.clone());
    let zone = zone.unwrap_or(Zone::UTC);
    let first = first.await??.map(|time| LocalDate::at(time, &zone));
    let is_long_before = |first: &LocalDate| first.plus_days(UNPRICED_DAYS) < Some(from);
    Ok(first.filter(is_long_before).map(|first| {
        let language = visit.language();
        let [first, from] = [first, from].map(|date| day(date, language));
        let values = [("first", first.into()), ("from", from.into())];
        language.fill("contract-history-before", values)
    }))
}

fn wrong_contract(visit: &Visit, field: &'static str, error: &impl Display) -> PageError {
    let values = [("problem", error.to_string().into())];
    let language = visit.language();
    let text = match field {
        "json" => language.fill("contract-wrong-json", values),
        _ => language.fill("contract-wrong-other", values),
    };
    PageError::form(field, text)
}

/// Refuses a contract that would replace another one than `old`, or is in another currency.
pub(super) fn check_beside(
    visit: &Visit,
    (known, old): (&Contracts, &str),
    contract: &Contract,
) -> Result<(), PageError> {
    let known = known.all().iter();
    let mut others = known.filter(|one| one.from().to_string() != old);
    if others.clone().any(|one| one.from() == contract.from()) {
        return Err(PageError::mistake(
            "contract-wrong-taken",
            at(visit, "from")?,
        ));
    }
    match others.find(|one| one.currency() != contract.currency()) {
        Some(other) => Err(other_currency(
            visit,
            at(visit, "currency")?,
            other.currency(),
        )),
        None => Ok(()),
    }
}

/// The place of a mistake in this field: that of the text, if the contract is a text.
pub(super) fn at(visit: &Visit, field: &'static str) -> Result<&'static str, PageError> {
    let is_json = visit.field("as")? == "json";
    Ok(if is_json { "json" } else { field })
}

/// The refusal of a contract in another currency than others have.
pub(super) fn other_currency(visit: &Visit, field: &'static str, others: &Currency) -> PageError {
    let values = [("currency", others.as_str().into())];
    let text = visit
        .language()
        .fill("contract-wrong-other-currency", values);
    PageError::form(field, text)
}

/// `POST /costs/contract/remove`
pub(crate) async fn remove(visit: Visit) -> PageResult {
    let account = known_account(&visit, &visit.field("account")?)?;
    let known = contracts_of(&visit, &account.name);
    let contract = begun(&known, &visit.field("old")?).ok_or(PageError::NotFound)?;
    change(&visit, &account.name, removal(contract)).await?;
    Ok(list(&account.name, "removed"))
}

pub(super) async fn change(
    visit: &Visit,
    account: &AccountName,
    text: String,
) -> Result<(), PageError> {
    let account = Some(account.to_string());
    let change = Request::Contracts(ContractRequest::Change { account, text });
    admin_call(&visit.app, change, |_| "main").await?;
    Ok(())
}

fn removal(contract: &Contract) -> String {
    serde_json::json!({"remove": contract.from().to_string()}).to_string()
}

/// The contract that begins on a day.
fn begun<'a>(known: &'a Contracts, from: &str) -> Option<&'a Contract> {
    known
        .all()
        .iter()
        .find(|one| one.from().to_string() == from)
}

pub(super) fn list(account: &AccountName, done: &str) -> HttpResponse {
    let parameters = [("account", account.as_str()), ("done", done)];
    leads_to("costs/contracts", &parameters)
}
