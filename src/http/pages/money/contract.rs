//! `/costs/contract`: adds, changes and removes a contract. A contract that the form cannot show is
//! edited as JSON, so that no part of it is lost.

use std::fmt::Display;

use actix_web::HttpResponse;
use askama::Template;

use super::contracts::{contracts_of, layout};
use super::form::{ContractForm, RateChoice};
use super::summary::month_name;
use crate::admin::{ContractRequest, Request};
use crate::domain::{AccountName, LocalDate, Weekday};
use crate::http::pages::frame::account_scope::known_account;
use crate::http::pages::frame::admin_call::admin_call;
use crate::http::pages::frame::response::{leads_to, ok};
use crate::http::pages::frame::{Layout, PageError, PageResult, Visit};
use crate::ledger::contract::{Contract, ContractTemplate, Contracts, Period, TaxBase};

#[derive(Template)]
#[template(path = "money/contract.html")]
struct ContractPage {
    layout: Layout,
    account: String,
    /// The first day of the contract being changed; empty for a new one.
    old: String,
    /// `None` to edit the JSON text.
    form: Option<ContractForm>,
    json: String,
    /// The tariff that a new contract starts from.
    template: Option<&'static ContractTemplate>,
    /// The names of the account's price series.
    series: Vec<String>,
}

impl ContractPage {
    async fn new(visit: &Visit, account: &AccountName) -> Result<Self, PageError> {
        let name = account.clone();
        let series = visit.look(move |store| store.series(&name)).await??;
        Ok(Self {
            layout: layout(visit)?,
            account: account.to_string(),
            old: visit.field("old")?,
            form: None,
            json: visit.field("json")?,
            template: ContractTemplate::with_id(&visit.param("template")?),
            series: series.iter().map(|one| one.name.to_string()).collect(),
        })
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
    let mut page = ContractPage::new(&visit, &account.name).await?;
    let known = contracts_of(&visit, &account.name);
    let language = page.layout.language;
    let (from, is_json) = (visit.param("from")?, visit.param("as")? == "json");
    if visit.is_again() {
        let posted = || ContractForm::posted(&visit);
        page.form = (!is_json).then(posted).transpose()?;
    } else if let Some(template) = page.template {
        let today = LocalDate::at(visit.app.counted_now(), &account.zone);
        let contract = template.contract_from(today);
        let household = contract.household();
        page.form = household.and_then(|one| ContractForm::of(&one, language));
        page.json = contract.to_pretty();
    } else if from.is_empty() {
        let today = LocalDate::at(visit.app.counted_now(), &account.zone);
        let mut form = ContractForm::new(language, today);
        if let Some(currency) = known.currency() {
            currency.as_str().clone_into(&mut form.currency);
        }
        page.form = Some(form);
    } else {
        let contract = begun(&known, &from).ok_or(PageError::NotFound)?;
        let household = contract.household();
        page.form = household.and_then(|one| ContractForm::of(&one, language));
        page.json = contract.to_pretty();
        page.old = from;
    }
    if is_json {
        page.form = None;
    }
    Ok(ok(&page))
}

/// `POST /costs/contract`
pub(crate) async fn save(visit: Visit) -> PageResult {
    let account = known_account(&visit, &visit.field("account")?)?.name;
    let known = contracts_of(&visit, &account);
    let old = visit.field("old")?;
    let is_json = visit.field("as")? == "json";
    let contract = if is_json {
        let contract = Contract::parse(&visit.field("json")?);
        contract.map_err(|error| wrong_contract(&visit, "json", &error))?
    } else {
        let contract = ContractForm::posted(&visit)?.household()?.contract();
        contract.map_err(|error| wrong_contract(&visit, "name", &error))?
    };
    let field = |field| if is_json { "json" } else { field };
    check_beside(&visit, (&known, &old), &contract, field)?;
    change(&visit, &account, contract.to_string()).await?;
    let moved = begun(&known, &old).filter(|old| old.from() != contract.from());
    if let Some(old) = moved {
        change(&visit, &account, removal(old)).await?;
    }
    Ok(list(&account, "saved"))
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
fn check_beside(
    visit: &Visit,
    (known, old): (&Contracts, &str),
    contract: &Contract,
    field: impl Fn(&'static str) -> &'static str,
) -> Result<(), PageError> {
    let known = known.all().iter();
    let mut others = known.filter(|one| one.from().to_string() != old);
    if others.clone().any(|one| one.from() == contract.from()) {
        return Err(PageError::mistake("contract-wrong-taken", field("from")));
    }
    if let Some(other) = others.find(|one| one.currency() != contract.currency()) {
        let values = [("currency", other.currency().as_str().into())];
        let language = visit.language();
        let text = language.fill("contract-wrong-other-currency", values);
        return Err(PageError::form(field("currency"), text));
    }
    Ok(())
}

/// `POST /costs/contract/remove`
pub(crate) async fn remove(visit: Visit) -> PageResult {
    let account = known_account(&visit, &visit.field("account")?)?;
    let known = contracts_of(&visit, &account.name);
    let contract = begun(&known, &visit.field("old")?).ok_or(PageError::NotFound)?;
    change(&visit, &account.name, removal(contract)).await?;
    Ok(list(&account.name, "removed"))
}

async fn change(visit: &Visit, account: &AccountName, text: String) -> Result<(), PageError> {
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

fn list(account: &AccountName, done: &str) -> HttpResponse {
    let parameters = [("account", account.as_str()), ("done", done)];
    leads_to("costs/contracts", &parameters)
}
