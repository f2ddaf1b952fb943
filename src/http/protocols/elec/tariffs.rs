//! `/contract-templates`: the tariffs that a contract can start from. `/contracts/from-template`: a
//! contract by the values that a household knows.

use std::collections::BTreeMap;

use actix_web::{HttpRequest, HttpResponse, web};
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;

use super::contracts::{changed, doubts_of};
use super::json::{posted, uncached};
use super::names::{COUNTRY, KIND};
use crate::admin::AdminError;
use crate::domain::LocalDate;
use crate::http::gate::auth::{changer, reader};
use crate::http::gate::{AppState, Credentials};
use crate::http::wire::body::{in_background, parse};
use crate::http::wire::params::param;
use crate::http::wire::{ApiError, Body};
use crate::ledger::contract::{
    ContractChange, ContractTemplate, Country, Label, MoneyDoubt, TariffAnswer, TariffError,
    TariffStart, TemplateKind,
};

/// The values of a tariff. They are read by their digits.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct PostedTariff<'a> {
    #[serde(rename = "template")]
    tariff: String,
    #[serde(rename = "from")]
    begins: String,
    #[serde(default)]
    name: Option<String>,
    #[serde(default)]
    continues: Option<bool>,
    #[serde(borrow, default)]
    values: BTreeMap<String, &'a RawValue>,
}

/// A posted tariff, checked as far as it can be without the account.
struct NewTariff {
    template: &'static ContractTemplate,
    start: TariffStart,
    values: BTreeMap<String, String>,
}

#[derive(Serialize)]
struct TemplateList {
    templates: Vec<TariffAnswer>,
}

/// `GET /contract-templates?country=…&kind=…`
pub(crate) async fn list(
    request: HttpRequest,
    app: web::Data<AppState>,
) -> Result<HttpResponse, ApiError> {
    let query = request.query_string();
    let country = param(query, COUNTRY)?.map(|text| text.parse::<Country>());
    let country = country
        .transpose()
        .map_err(|error| wrong(COUNTRY, &error))?;
    let kind = param(query, KIND)?.map(|text| text.parse::<TemplateKind>());
    let kind = kind.transpose().map_err(|error| wrong(KIND, &error))?;
    reader(&app, &request)?;
    let asked = ContractTemplate::all().iter().filter(|one| {
        country.is_none_or(|it| it == one.country()) && kind.is_none_or(|it| it == one.kind())
    });
    let templates = asked.map(TariffAnswer::of).collect();
    Ok(uncached(TemplateList { templates }))
}

/// `POST /contracts/from-template`: adds a contract, or replaces the one that begins on the same
/// day; responds as `POST /contracts`.
pub(crate) async fn post(
    request: HttpRequest,
    payload: web::Payload,
    app: web::Data<AppState>,
) -> Result<HttpResponse, ApiError> {
    let is_known = || Credentials::are_in_head(&app, &request);
    let Body { bytes, reserved } = app.read_body(&request, payload, is_known).await?;
    let mut new = parse(bytes.len(), move || NewTariff::read(&bytes)).await??;
    let grant = changer(&app, &request, "contracts")?;
    let contracts = app.store.registry().contracts(&grant.account).cloned();
    new.start.account_currency = contracts.and_then(|all| all.currency().cloned());
    let unusual = new.template.unusual(&new.values).into_iter();
    let mut doubts: Vec<MoneyDoubt> = unusual.map(|(_, doubt)| doubt).collect();
    // Even a small contract can take long to check: its zones must cover each kind of day.
    let filled = in_background(move || new.template.fill(&new.start, &new.values)).await?;
    let change = ContractChange::Put(Box::new(filled.map_err(|error| refused(&error))?));
    doubts.extend(doubts_of(&app, &grant.account, &change).await?);
    changed(&request, &app, (grant, change), doubts, reserved).await
}

impl NewTariff {
    fn read(bytes: &[u8]) -> Result<Self, ApiError> {
        let tariff: PostedTariff<'_> =
            posted(bytes).map_err(|error| {
            ApiError::MalformedJson(format!(
                "expected values of a tariff such as {{\"template\":\"de-flat-feed-in\",\"from\":\"2026-01-01\",\"values\":{{\"price\":32.9,\"base-fee\":12.9}}}}: {error}"
            ))
        })?;
        let template = ContractTemplate::with_id(&tariff.tariff).ok_or_else(|| {
            let expected = "expected the name of a template of GET /contract-templates, such as de-flat-feed-in";
            field("template", expected)
        })?;
        let from = LocalDate::parse(&tariff.begins)
            .map_err(|_| field("from", "expected a date such as 2026-01-01"))?;
        let name = tariff.name.as_deref().map(Label::new).transpose();
        let value = |(name, json): (String, &RawValue)| {
            let text = serde_json::from_str(json.get());
            (name, text.unwrap_or_else(|_| json.get().to_owned()))
        };
        Ok(Self {
            template,
            start: TariffStart {
                first_day: from,
                name: name.map_err(|error| field("name", &error.to_string()))?,
                account_currency: None,
                continues: tariff.continues,
            },
            values: tariff.values.into_iter().map(value).collect(),
        })
    }
}

fn refused(error: &TariffError) -> ApiError {
    let name = match &*error.name {
        "contract" => "values".to_owned(),
        name => format!("values.{name}"),
    };
    AdminError::Field {
        field: name.into(),
        problem: error.fault.to_string(),
        example: None,
    }
    .into()
}

fn field(name: &'static str, problem: &str) -> ApiError {
    AdminError::Field {
        field: name.into(),
        problem: problem.to_owned(),
        example: None,
    }
    .into()
}

fn wrong(name: &'static str, error: &impl ToString) -> ApiError {
    field(name, &error.to_string())
}
