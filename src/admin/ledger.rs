//! Energy, statements, forecasts and the cheapest time, as requested by commands.

use std::ops::Range;
use std::sync::Arc;

use serde::{Deserialize, Serialize};

use super::error::{AdminError, wrong};
use super::names::{found, sensor_id, time};
use super::response::Response;
use crate::domain::{Account, Calendar, EntryKind, Interval, SensorId, Timestamp, year_earlier};
use crate::house::{
    CheapestAnswer, CheapestError, CheapestField, CheapestForm, CheapestView, ComparisonAnswer,
    EnergyQuestion, EnergyReport, EnergyRow, HousePrices, HouseWithout, PaybackAnswer, PeakAnswer,
    PeakGuard, SavingsAnswer, SensorStatement, SensorStatementAnswer, SensorStatementError,
    StatementAnswer, TenanciesAnswer, TenanciesStatement, WhatIfAnswer, WhatIfError, WhatIfForm,
    compare, forecast, offer_statement, paybacks, savings, statement, statement_without, utility,
    what_if,
};
use crate::store::{Store, StoreError};

/// The maximum number of rows in an answer to a command.
const MOST_ROWS: usize = 100_000;
const WITH_OFFER: &str = "expected either an offer, or parts to leave out of the house";

/// A request to the ledger.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub enum LedgerRequest {
    /// Energy of the house or of a sensor. Answer: a text with the rows of `GET /energy` and their
    /// currency.
    Energy(EnergyForm),
    /// The cost of a range by the contracts, by the offer of a name, or without some part of the
    /// house. Answer: a statement.
    Statement(StatementForm, StatementOf),
    /// The cost of a range by the contracts and by each offer. Answer: a comparison.
    Compare(StatementForm),
    /// The savings by panels and battery in a range. Answer: these savings.
    Savings(StatementForm),
    /// How far the purchases of an account have paid for themselves; `None` if there is only one
    /// account. Answer: these paybacks.
    Payback(Option<String>),
    /// Where an account is heading; `None` if there is only one account. Answer: a forecast.
    Forecast(Option<String>),
    /// The running span of each demand charge of an account; `None` if there is only one account.
    /// Answer: these.
    Peak(Option<String>),
    /// The utility's readings and bills of an account, compared with the ledger; `None` if there is
    /// only one account. Answer: that comparison.
    Utility(Option<String>),
    /// The cost of a range with another battery, other panels or another load. Answer: that.
    WhatIf(StatementForm, Box<WhatIfForm>),
    /// When a kilowatt-hour of an account is cheapest; `None` if there is only one account. Answer:
    /// that time.
    Cheapest(Option<String>, CheapestForm),
    /// The cost of a sub-meter in a range; of the only account, or of the sensor's. Answer: that
    /// statement.
    SensorStatement(StatementForm, String),
    /// The statements of all tenancies in a range. Answer: these.
    Tenancies(StatementForm),
}

/// The prices and the house of a statement.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct StatementOf {
    /// The name of an offer, whose prices count instead of the contracts'.
    pub offer: Option<String>,
    /// The parts to leave out of the house: `panels`, `battery` or `both`.
    pub without: Option<String>,
}

/// A request for energy. Times are as people type them: a date alone is the start of that day in
/// the account's time zone.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct EnergyForm {
    /// The account; `None` for the only one, or the sensor's.
    pub account: Option<String>,
    /// The sensor; `None` for the house.
    pub sensor: Option<String>,
    /// The first time; `None` for the beginning of today.
    pub from: Option<String>,
    /// The end, exclusive; `None` for now.
    pub to: Option<String>,
    /// Whether the answer is about the same range a year earlier.
    pub year_earlier: bool,
    /// A row for each bucket; `None` for one row.
    pub by: Option<Interval>,
    /// Whether sub-meters have the sources of their energy.
    pub with_sources: bool,
}

/// A request for costs; see [`EnergyForm`].
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct StatementForm {
    /// The account; `None` if there is only one.
    pub account: Option<String>,
    /// The first time; `None` for the beginning of this month, for a comparison or savings of this
    /// year.
    pub from: Option<String>,
    /// The end, exclusive; `None` for now.
    pub to: Option<String>,
    /// Whether the answer is about the same range a year earlier.
    pub year_earlier: bool,
}

/// Rows of energy, in the format of the API's answers.
#[derive(Serialize)]
struct EnergyAnswer {
    #[serde(skip_serializing_if = "Option::is_none")]
    currency: Option<String>,
    data: Vec<EnergyRow>,
}

pub(super) fn run(
    store: &Arc<Store>,
    request: &LedgerRequest,
    now: Timestamp,
) -> Result<Response, AdminError> {
    match request {
        LedgerRequest::Energy(form) => energy(store, form, now).map(Response::Text),
        LedgerRequest::Utility(account) => {
            let answer = utility(store, &found(store, account.as_deref())?, now)?;
            Ok(Response::Utility(answer))
        }
        LedgerRequest::WhatIf(form, asked) => {
            let answer = different(store, form, asked, now)?;
            Ok(Response::WhatIf(Box::new(answer)))
        }
        LedgerRequest::Forecast(account) => {
            let answer = forecast(store, &found(store, account.as_deref())?, now)?;
            Ok(Response::Forecast(Box::new(answer)))
        }
        LedgerRequest::Peak(account) => {
            let account = found(store, account.as_deref())?;
            let found = PeakGuard::default().look(store, &account, now)?;
            let answer = PeakAnswer::new(&account, found.as_ref(), now);
            Ok(Response::Peak(Box::new(answer)))
        }
        LedgerRequest::Statement(form, of) => {
            let found = costs(store, form, of, now);
            found.map(|found| Response::Statement(Box::new(found)))
        }
        LedgerRequest::Compare(form) => {
            let (account, range) = priced_range(store, form, Interval::Year, now)?;
            let found = compare(store, &account, range, now)?;
            Ok(Response::Comparison(ComparisonAnswer::new(
                &account, &found,
            )))
        }
        LedgerRequest::Savings(form) => {
            let (account, range) = priced_range(store, form, Interval::Year, now)?;
            let found = savings(store, &account, range, now)?;
            let answer = SavingsAnswer::new(&account, &found);
            Ok(Response::Savings(Box::new(answer)))
        }
        LedgerRequest::Payback(account) => {
            let account = found(store, account.as_deref())?;
            let answer = PaybackAnswer::new(&account, &paybacks(store, &account, now)?);
            Ok(Response::Payback(answer))
        }
        LedgerRequest::Cheapest(account, form) => {
            let answer = cheapest(store, &found(store, account.as_deref())?, form, now)?;
            Ok(Response::Cheapest(Box::new(answer)))
        }
        LedgerRequest::SensorStatement(form, sensor) => {
            let found = sensor_costs(store, form, sensor, now);
            found.map(|found| Response::SensorStatement(Box::new(found)))
        }
        LedgerRequest::Tenancies(form) => {
            let (account, range) = priced_range(store, form, Interval::Month, now)?;
            let found = TenanciesStatement::of(store, &account, range, now)?;
            let answer = TenanciesAnswer::new(&account, &found);
            Ok(Response::Tenancies(Box::new(answer)))
        }
    }
}

fn cheapest(
    store: &Store,
    account: &Account,
    form: &CheapestForm,
    now: Timestamp,
) -> Result<CheapestAnswer, AdminError> {
    let found = form
        .question()
        .and_then(|question| CheapestView::of(store, account, &question, now));
    let found = found.map_err(|error| match (error.field(), error) {
        (Some(CheapestField::Hours), error) => wrong("hours", error, None),
        (Some(CheapestField::Before), error) => wrong("before", error, None),
        (Some(CheapestField::Start), error) => wrong("start", error, None),
        (None, CheapestError::Store(error)) => error.into(),
        (None, error) => AdminError::Refused(error.to_string()),
    });
    Ok(CheapestAnswer::new(account, &found?))
}

fn different(
    store: &Store,
    form: &StatementForm,
    asked: &WhatIfForm,
    now: Timestamp,
) -> Result<WhatIfAnswer, AdminError> {
    let refused = |error: WhatIfError| match (error.field(), error) {
        (_, WhatIfError::Store(error)) => error.into(),
        (Some(field), error) => wrong(field.as_str(), error, None),
        (None, error) => AdminError::Refused(error.to_string()),
    };
    let question = asked.question().map_err(refused)?;
    let (account, range) = priced_range(store, form, Interval::Year, now)?;
    let found = what_if(store, &account, (range, now), question).map_err(refused)?;
    Ok(WhatIfAnswer::new(&account, &found))
}

/// The rows as JSON text.
fn energy(store: &Arc<Store>, form: &EnergyForm, now: Timestamp) -> Result<String, AdminError> {
    let of = form.sensor.as_deref().map(sensor_id).transpose()?;
    let account = match &of {
        Some(id) => found(store, Some(&owner_of(store, id, form.account.as_deref())?))?,
        None => found(store, form.account.as_deref())?,
    };
    let today = Interval::Day;
    let range = range(
        &account,
        (form.from.as_deref(), form.to.as_deref()),
        today,
        now,
    )?;
    let range = answered_range(&account, range, form.year_earlier, now);
    let question = EnergyQuestion {
        of,
        range,
        interval: form.by,
        zone: account.zone.clone(),
        with_sources: form.with_sources,
    };
    let checked = question.check_sources(&store.registry(), &account.name);
    checked.map_err(|error| wrong("sources", error, None))?;
    let report = EnergyReport::open(store, &account, question, now)?;
    let mut report = report.ok_or_else(|| {
        AdminError::Refused("the sensor is revoked, or belongs to another account".to_owned())
    })?;
    let mut data = Vec::new();
    while report.next_run(&mut data)? {
        if data.len() > MOST_ROWS {
            return Err(AdminError::Refused(format!(
                "more than {MOST_ROWS} rows: choose a longer interval or a shorter range"
            )));
        }
    }
    let currency = report
        .currency()
        .map(|currency| currency.as_str().to_owned());
    let answer = EnergyAnswer { currency, data };
    serde_json::to_string(&answer).map_err(|error| AdminError::Refused(error.to_string()))
}

/// The statement.
fn costs(
    store: &Store,
    form: &StatementForm,
    of: &StatementOf,
    now: Timestamp,
) -> Result<StatementAnswer, AdminError> {
    let (account, range) = priced_range(store, form, Interval::Month, now)?;
    let found = match (&of.offer, &of.without) {
        (None, None) => statement(store, &account, range, now)?,
        (None, Some(word)) => {
            let without = word.parse::<HouseWithout>();
            let without = without.map_err(|error| wrong("without", error, None))?;
            statement_without(store, &account, (without, range), now)?
        }
        (Some(_), Some(_)) => return Err(wrong("without", WITH_OFFER, None)),
        (Some(name), None) => {
            let registry = store.registry();
            let offer = registry.offer(&account.name, name);
            let offer = offer.ok_or_else(|| StoreError::unknown(EntryKind::Offer, name))?;
            offer_statement(store, &account, (offer, range), now)?
        }
    };
    Ok(StatementAnswer::new(&account, &found))
}

/// The statement of a sub-meter.
fn sensor_costs(
    store: &Store,
    form: &StatementForm,
    sensor: &str,
    now: Timestamp,
) -> Result<SensorStatementAnswer, AdminError> {
    let id = sensor_id(sensor)?;
    let form = StatementForm {
        account: Some(owner_of(store, &id, form.account.as_deref())?),
        ..form.clone()
    };
    let (account, range) = priced_range(store, &form, Interval::Month, now)?;
    let found = SensorStatement::of(store, &account, (&id, range), now);
    let found = found.map_err(|error| match error {
        SensorStatementError::Store(error) => error.into(),
        other => wrong("sensor", other, None),
    })?;
    Ok(SensorStatementAnswer::new(&account, &found))
}

/// The named account, or that of the sensor.
fn owner_of(store: &Store, id: &SensorId, account: Option<&str>) -> Result<String, AdminError> {
    if let Some(account) = account {
        return Ok(account.to_owned());
    }
    let registry = store.registry();
    let unknown = || AdminError::Refused(format!("there is no sensor {id}"));
    Ok(registry.sensor(id).ok_or_else(unknown)?.account.to_string())
}

/// The account and the range of a form; by default from the beginning of the current bucket.
fn priced_range(
    store: &Store,
    form: &StatementForm,
    by_default: Interval,
    now: Timestamp,
) -> Result<(Account, Range<Timestamp>), AdminError> {
    let account = found(store, form.account.as_deref())?;
    let ends = (form.from.as_deref(), form.to.as_deref());
    let range = range(&account, ends, by_default, now)?;
    if !HousePrices::may_be_priced(&(range.start..range.end.min(now))) {
        let expected = format!(
            "expected a range of at most {} days",
            HousePrices::MOST_DAYS
        );
        return Err(wrong("to", expected, None));
    }
    let range = answered_range(&account, range, form.year_earlier, now);
    Ok((account, range))
}

/// The range that the answer is about: the typed one, or the same a year earlier.
fn answered_range(
    account: &Account,
    typed: Range<Timestamp>,
    is_earlier: bool,
    now: Timestamp,
) -> Range<Timestamp> {
    if is_earlier {
        year_earlier(typed, &account.zone, now)
    } else {
        typed
    }
}

/// The typed range; by default from the beginning of the current bucket until now.
fn range(
    account: &Account,
    (from, to): (Option<&str>, Option<&str>),
    by_default: Interval,
    now: Timestamp,
) -> Result<Range<Timestamp>, AdminError> {
    let mut calendar = Calendar::new(account.zone.clone(), by_default);
    let from = from
        .map(|text| time("from", text, &account.zone))
        .transpose()?;
    let to = to.map(|text| time("to", text, &account.zone)).transpose()?;
    let (start, end) = (
        from.unwrap_or(calendar.bucket(now).start()),
        to.unwrap_or(now),
    );
    if start > end {
        let expected = format!("expected a time that is not after the end; got {start} to {end}");
        return Err(wrong("from", expected, None));
    }
    Ok(start..end)
}
