//! `wattkeeper contract from`: a contract from a tariff of a country, by the values that a household
//! knows; and whether a contract is meant so.

use std::collections::BTreeMap;

use anyhow::{Result, bail};
use clap::Args;
use serde_json::value::RawValue;
use toml::{Table, Value};

use super::args::Global;
use super::connection::StoreConnection;
use super::output::parsed;
use super::owned::{OwnerArgs, ShownContract};
use super::price_source;
use crate::admin::{ContractRequest, DoubtRow, PriceSourceRequest, PriceSourceRow, Request};
use crate::domain::{Currency, LocalDate};
use crate::ledger::contract::{
    ContractTemplate, FlatContract, Label, ParamSource, TariffAnswer, TariffError, TariffFault,
    TariffParam, TariffStart,
};
use crate::store::OpenMode;

/// A tariff, and the values of a household
#[derive(Args)]
pub(super) struct TariffArgs {
    /// Its name in `templates`, such as de-flat-feed-in
    template: String,
    /// A value of the household, such as price=32.9; without any, the command lists them
    #[arg(long = "set", value_name = "NAME=VALUE", value_parser = pair)]
    values: Vec<(String, String)>,
    #[command(flatten)]
    begins: StartArgs,
    /// Print the contract as JSON, and store nothing
    #[arg(long)]
    print: bool,
    /// Save it although a number is unusual
    #[arg(long)]
    yes: bool,
    #[command(flatten)]
    of: OwnerArgs,
}

/// How the contract begins
#[derive(Args)]
struct StartArgs {
    /// Its first day, in the account's time zone [default: for all of the past]
    #[arg(long, value_name = "DATE")]
    from: Option<String>,
    /// Its name [default: that of the tariff]
    #[arg(long, value_name = "TEXT")]
    name: Option<String>,
    /// Whether it has new prices of the contract before, whose amounts of a month or a year go on,
    /// or is one of a new supplier [default: true]
    #[arg(long, value_name = "true|false")]
    continues: Option<bool>,
}

fn pair(text: &str) -> Result<(String, String), String> {
    let pair = text.split_once('=');
    let pair = pair.map(|(name, value)| (name.trim().to_owned(), value.trim().to_owned()));
    pair.ok_or_else(|| "expected a name and a value, such as price=32.9".to_owned())
}

impl TariffArgs {
    pub(super) fn run(self, global: &Global) -> Result<()> {
        let template = found(&self.template)?;
        let mut values = BTreeMap::new();
        for (name, value) in &self.values {
            if values.insert(name.clone(), value.clone()).is_some() {
                bail!("{name}: it is set twice; expected one --set {name}=VALUE");
            }
        }
        let mut start = self.begins.parsed()?;
        if self.print {
            let contract = template.fill(&start, &values);
            let contract = contract.map_err(|error| told(template, &error))?;
            let text = contract.to_pretty();
            return global.print(&RawValue::from_string(text.clone())?, &text);
        }
        let sources = chosen(template, &values);
        let filled = sources.iter().map(|source| source.series()).collect();
        let account = self.of.account.clone();
        let rows = global.with_store(OpenMode::Existing, |store| {
            let request = ContractRequest::List {
                account: account.clone(),
            };
            let known: Vec<String> = store.ask(Request::Contracts(request))?;
            let known = parsed::<ShownContract>(&known)?;
            start.account_currency = known
                .first()
                .and_then(|one| Currency::new(&one.currency).ok());
            let contract = template.fill(&start, &values);
            let contract = contract.map_err(|error| told(template, &error))?;
            let unusual = template.unusual(&values).into_iter();
            let unusual = unusual.map(|(_, doubt)| doubt.to_string()).collect();
            let change = NewTerms {
                account: account.clone(),
                text: contract.to_string(),
                filled,
                unusual,
                is_sure: self.yes,
                is_offer: false,
            };
            change.save(global, store)
        })?;
        global.print_list(&parsed::<ShownContract>(&rows)?, "")?;
        for source in sources {
            fetch(global, source, account.clone());
        }
        Ok(())
    }
}

impl StartArgs {
    /// The beginning of the tariff.
    fn parsed(&self) -> Result<TariffStart> {
        let from = self.from.as_deref().unwrap_or(FlatContract::ALWAYS);
        let Ok(from) = LocalDate::parse(from) else {
            bail!("from: expected a date such as 2026-01-01, not {from}");
        };
        Ok(TariffStart {
            first_day: from,
            name: self.name.as_deref().map(Label::new).transpose()?,
            account_currency: None,
            continues: self.continues,
        })
    }
}

/// The template with a name.
pub(super) fn found(name: &str) -> Result<&'static ContractTemplate> {
    let Some(template) = ContractTemplate::with_id(name) else {
        bail!("template: there is no {name}; `wattkeeper contract templates` lists all");
    };
    Ok(template)
}

/// The sources of series and day lists that are chosen.
fn chosen(
    template: &'static ContractTemplate,
    values: &BTreeMap<String, String>,
) -> Vec<&'static ParamSource> {
    let params = template.params().iter();
    let source = |param: &'static TariffParam| param.source(values.get(param.name())?);
    params.filter_map(source).collect()
}

/// Has the service fetch a source from now on.
fn fetch(global: &Global, source: &ParamSource, account: Option<String>) {
    let mut section = Table::new();
    let fields = [
        ("source", Some(source.source.clone())),
        (
            "zone",
            Some(source.zone.clone()).filter(|zone| !zone.is_empty()),
        ),
        ("series", Some(source.series())),
        ("account", account),
    ];
    for (name, value) in fields {
        if let Some(value) = value {
            section.insert(name.to_owned(), Value::String(value));
        }
    }
    let section = section.to_string();
    let request = PriceSourceRequest::Add {
        section,
        unasked: false,
    };
    match price_source::ask::<Vec<PriceSourceRow>>(global, request) {
        Ok(_) => global.note(&format!("{} is fetched from now on.", source.series())),
        Err(error) => global.note(&format!(
            "The contract is saved, but its prices are not fetched: {error:#}. `wattkeeper price-source add` tries again."
        )),
    }
}

/// A wrong value, with all values that the tariff has if one is missing.
fn told(template: &'static ContractTemplate, error: &TariffError) -> anyhow::Error {
    if !matches!(
        error.fault,
        TariffFault::Missing(_) | TariffFault::Unknown(_)
    ) {
        return anyhow::anyhow!("{error}");
    }
    let mut lines = vec![format!("{error}\nThe values of {}:", template.id())];
    for answer in TariffAnswer::of(template).params {
        let unit = match &*answer.unit {
            "" => String::new(),
            unit => format!(" ({unit})"),
        };
        let value = match (&answer.value, &answer.example) {
            (Some(value), _) => format!("[default: {value}]"),
            (None, Some(example)) if answer.needed => format!("such as {example}"),
            (None, example) => {
                format!("such as {}, or nothing", example.as_deref().unwrap_or("0"))
            }
        };
        let (name, label) = (answer.param.name(), answer.param.label());
        lines.push(format!("  {name}: {label}{unit}, {value}"));
    }
    anyhow::anyhow!(lines.join("\n"))
}

/// A change of contracts that may not be meant so.
pub(super) struct NewTerms {
    pub(super) account: Option<String>,
    pub(super) text: String,
    /// Series and day lists that will be filled.
    pub(super) filled: Vec<String>,
    /// Its other unusual values.
    pub(super) unusual: Vec<String>,
    /// Whether unusual numbers are meant so.
    pub(super) is_sure: bool,
    /// Whether it is an offer.
    pub(super) is_offer: bool,
}

impl NewTerms {
    /// Makes the change, unless a number is doubtful; says what else is. Returns all contracts.
    pub(super) fn save(self, global: &Global, store: &StoreConnection) -> Result<Vec<String>> {
        self.check(global, store)?;
        let request = ContractRequest::Change {
            account: self.account,
            text: self.text,
        };
        store.ask(Request::Contracts(request))
    }

    /// Refuses a doubtful number unless it is meant so, and says what else is doubtful.
    pub(super) fn check(&self, global: &Global, store: &StoreConnection) -> Result<()> {
        let request = ContractRequest::Doubts {
            account: self.account.clone(),
            text: self.text.clone(),
            filled: self.filled.clone(),
            is_offer: self.is_offer,
        };
        let rows: Vec<String> = store.ask(Request::Contracts(request))?;
        let mut numbers = self.unusual.clone();
        let has_own = !numbers.is_empty();
        for row in parsed::<DoubtRow>(&rows)? {
            if !row.is_number {
                global.note(&format!("warning: {}", row.doubt));
            } else if !has_own {
                numbers.push(row.doubt);
            }
        }
        if !numbers.is_empty() && !self.is_sure {
            bail!(
                "{}\nNothing was saved. If it is right, add --yes.",
                numbers.join("\n")
            );
        }
        Ok(())
    }
}
