//! `/costs/contract`: adds, changes and removes a contract. One that the form cannot show is edited as its JSON, so that nothing of it
//! is lost.

use askama::Template;

use super::contracts::{account, contracts_of, layout};
use super::form::{ContractForm, RateChoice};
use super::summary::month_name;
use crate::admin::{ContractRequest, Request};
use crate::domain::{AccountName, LocalDate, Weekday};
use crate::http::pages::frame::address::address;
use crate::http::pages::frame::admin_call::admin_call;
use crate::http::pages::frame::response::{ok, see_other};
use crate::http::pages::frame::visit::or_again;
use crate::http::pages::frame::{Layout, PageError, PageResult, Visit};
use crate::http::wire::body::in_background;
use crate::ledger::contract::{Contract, Contracts, Period, TaxBase};

#[derive(Template)]
#[template(path = "money/contract.html")]
struct ContractPage {
    layout: Layout,
    account: String,
    /// The first day of the contract that is changed; empty for a new one.
    old: String,
    /// `None` to edit the text.
    form: Option<ContractForm>,
    json: String,
    /// The names of the account's price series.
    series: Vec<String>,
}

impl ContractPage {
    async fn new(visit: &Visit, account: &AccountName) -> Result<Self, PageError> {
        let (store, name) = (visit.app.store.clone(), account.clone());
        let series = in_background(move || store.series(&name)).await??;
        Ok(Self {
            layout: layout(visit)?,
            account: account.to_string(),
            old: String::new(),
            form: None,
            json: String::new(),
            series: series.iter().map(|one| one.name.to_string()).collect(),
        })
    }

    /// The short name of each weekday.
    fn weekdays(&self) -> [String; 7] {
        Weekday::ALL.map(|day| {
            self.layout
                .language
                .word("contract-weekday", Weekday::as_str(day))
        })
    }

    /// The number and the name of each month.
    fn months(&self) -> Vec<(u8, String)> {
        let named = |month| (month, month_name(month, self.layout.language));
        (1..=12).map(named).collect()
    }

    /// The periods, each with its name.
    fn periods(&self) -> [(Period, String); 3] {
        Period::ALL.map(|per| {
            (
                per,
                self.layout
                    .language
                    .word("contract-per", Period::as_str(per)),
            )
        })
    }

    fn rates(&self) -> [(RateChoice, String); 4] {
        RateChoice::ALL.map(|rate| {
            (
                rate,
                self.layout
                    .language
                    .word("contract-rate", RateChoice::as_str(rate)),
            )
        })
    }

    fn tax_bases(&self) -> [(TaxBase, String); 2] {
        TaxBase::ALL.map(|of| {
            (
                of,
                self.layout
                    .language
                    .word("contract-tax-of", TaxBase::as_str(of)),
            )
        })
    }
}

/// `GET /costs/contract?account=…&from=…`; without a date for a new one, with `as=json` as text.
pub(crate) async fn show(visit: Visit) -> PageResult {
    let account = account(&visit, &visit.param("account")?)?;
    let mut page = ContractPage::new(&visit, &account.name).await?;
    let known = contracts_of(&visit, &account.name);
    let language = page.layout.language;
    let from = visit.param("from")?;
    if from.is_empty() {
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
        page.json = contract.to_string();
        page.old = from;
    }
    if visit.param("as")? == "json" {
        page.form = None;
    }
    Ok(ok(&page))
}

/// `POST /costs/contract`
pub(crate) async fn save(visit: Visit) -> PageResult {
    let account = account(&visit, &visit.field("account")?)?;
    let mut page = ContractPage::new(&visit, &account.name).await?;
    page.old = visit.field("old")?;
    if visit.field("as")? == "json" {
        page.json = visit.field("json")?;
    } else {
        page.form = Some(ContractForm::posted(&visit)?);
    }
    let saved = try_to_save(&visit, &page, &account.name).await;
    or_again(saved, page, |page| &mut page.layout)
}

async fn try_to_save(visit: &Visit, page: &ContractPage, account: &AccountName) -> PageResult {
    let known = contracts_of(visit, account);
    let contract = page.contract()?;
    page.check_beside(&known, &contract)?;
    change(visit, account, contract.to_string()).await?;
    let moved = begun(&known, &page.old).filter(|old| old.from() != contract.from());
    if let Some(old) = moved {
        change(visit, account, removal(old)).await?;
    }
    Ok(see_other(&list(account, "saved")))
}

impl ContractPage {
    /// The contract that was typed.
    fn contract(&self) -> Result<Contract, PageError> {
        let language = self.layout.language;
        let Some(form) = &self.form else {
            let contract = Contract::parse(&self.json);
            return contract.map_err(|error| {
                let problem = error.to_string();
                let text = language.fill("contract-wrong-json", [("problem", problem.into())]);
                PageError::form("json", text)
            });
        };
        let contract = form.household(language)?.contract();
        contract.map_err(|error| {
            let problem = error.to_string();
            let text = language.fill("contract-wrong-other", [("problem", problem.into())]);
            PageError::form("name", text)
        })
    }

    /// Refuses what would replace another contract, or is in another currency.
    fn check_beside(&self, known: &Contracts, contract: &Contract) -> Result<(), PageError> {
        let language = self.layout.language;
        let mut others = known
            .all()
            .iter()
            .filter(|one| one.from().to_string() != self.old);
        let field = |field| if self.form.is_some() { field } else { "json" };
        if others.clone().any(|one| one.from() == contract.from()) {
            return Err(PageError::form(
                field("from"),
                language.say("contract-wrong-taken"),
            ));
        }
        if let Some(other) = others.find(|one| one.currency() != contract.currency()) {
            let values = [("currency", other.currency().as_str().into())];
            let text = language.fill("contract-wrong-other-currency", values);
            return Err(PageError::form(field("currency"), text));
        }
        Ok(())
    }
}

/// `POST /costs/contract/remove`
pub(crate) async fn remove(visit: Visit) -> PageResult {
    let account = account(&visit, &visit.field("account")?)?;
    let known = contracts_of(&visit, &account.name);
    let contract = begun(&known, &visit.field("old")?).ok_or(PageError::NotFound)?;
    change(&visit, &account.name, removal(contract)).await?;
    Ok(see_other(&list(&account.name, "removed")))
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

fn list(account: &AccountName, done: &str) -> String {
    address(
        "costs/contracts",
        &[("account", account.as_str()), ("done", done)],
    )
}
