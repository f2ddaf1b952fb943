//! `/costs/prices`: the price series of an account, and uploads of prices.

use askama::Template;

use super::contracts::layout;
use crate::admin::{AdminError, put_prices, typed_currency};
use crate::chart::Wording;
use crate::domain::{Account, Currency, Decimal};
use crate::http::pages::charts::AccountScope;
use crate::http::pages::frame::account_scope::{AccountChip, known_account};
use crate::http::pages::frame::address::address;
use crate::http::pages::frame::response::{again, leads_to, ok};
use crate::http::pages::frame::{Layout, PageError, PageResult, Visit, figures};
use crate::http::wire::ApiError;
use crate::ingest::{FilePrices, PriceFile};
use crate::ledger::contract::{Holes, Label, PriceLength, SeriesError};
use crate::store::{SeriesSummary, Store, StoreError};
use crate::texts::Language;

#[derive(Template)]
#[template(path = "money/prices.html")]
struct PricesPage {
    layout: Layout,
    accounts: Vec<AccountChip>,
    /// The account shown; empty if there are none.
    account: String,
    rows: Vec<SeriesLine>,
    series: String,
    length: PriceLength,
    /// The currency of the prices; at first that of the contracts.
    currency: String,
    /// The form of the table, where somebody typed it.
    unit: String,
    column: String,
    dates: String,
    decimals: String,
    /// The typed table, if it is short.
    table: String,
}

/// A series in words.
pub(super) struct SeriesLine {
    pub(super) name: String,
    address: String,
    pub(super) count: String,
    pub(super) first: String,
    pub(super) end: String,
}

/// The field with the table, which may be a file.
pub(crate) const TABLE: &str = "table";

/// A longer table is not shown again, because it came from a file.
const MOST_SHOWN: usize = 64 * 1024;

impl SeriesLine {
    pub(super) fn new(series: &SeriesSummary, account: &Account, language: &Language) -> Self {
        let name = series.name.to_string();
        let [first, end] = [series.first, series.end]
            .map(|time| Wording::new(&account.zone, language).date_and_clock(time));
        Self {
            address: address(
                "costs/series",
                &[("account", account.name.as_str()), ("name", &name)],
            ),
            count: figures::count(series.count, language),
            first,
            end,
            name,
        }
    }
}

impl PricesPage {
    async fn new(visit: &Visit, account: Option<&Account>) -> Result<Self, PageError> {
        let layout = layout(visit)?;
        let registry = visit.app.store.registry();
        let contracts = account.and_then(|it| registry.contracts(&it.name));
        let currency = contracts.and_then(|contracts| contracts.currency());
        let currency = currency.map(|it| it.as_str().to_owned());
        let rows = match account {
            Some(account) => {
                let text = |one: &SeriesSummary| SeriesLine::new(one, account, layout.language);
                all_series(visit, account).await?.iter().map(text).collect()
            }
            None => Vec::new(),
        };
        Ok(Self {
            layout,
            accounts: Vec::new(),
            account: account.map(|it| it.name.to_string()).unwrap_or_default(),
            rows,
            series: String::new(),
            length: PriceLength::default(),
            currency: currency.unwrap_or_default(),
            unit: String::new(),
            column: String::new(),
            dates: String::new(),
            decimals: String::new(),
            table: String::new(),
        })
    }
}

/// All series of an account.
pub(super) async fn all_series(
    visit: &Visit,
    account: &Account,
) -> Result<Vec<SeriesSummary>, PageError> {
    let name = account.name.clone();
    Ok(visit.look(move |store| store.series(&name)).await??)
}

/// `GET /costs/prices`
pub(crate) async fn show(visit: Visit) -> PageResult {
    let scope = AccountScope::read(&visit)?;
    let mut page = PricesPage {
        accounts: scope.chips("costs/prices"),
        series: visit.param("series")?,
        ..PricesPage::new(&visit, scope.account.as_ref()).await?
    };
    if page.layout.done.is_some()
        && let Some(text) = gaps_text(&visit)?
    {
        page.layout.done = Some(text);
    }
    Ok(ok(&page))
}

/// `POST /costs/prices`: merges prices into a series, replacing those at the same times.
pub(crate) async fn add(visit: Visit) -> PageResult {
    let account = known_account(&visit, &visit.field("account")?)?;
    let length = visit.field("length")?.parse().unwrap_or_default();
    let currency = visit.trimmed("currency")?;
    let series = visit.field("series")?.trim().to_owned();
    let [unit, column, dates, decimals] =
        ["unit", "column", "dates", "decimals"].map(|field| visit.trimmed(field));
    let (unit, column, dates, decimals) = (unit?, column?, dates?, decimals?);
    let file = PriceFile::typed(
        (account.zone.clone(), length),
        |field| Ok(Some(visit.trimmed(field)?).filter(|text| !text.is_empty())),
        |field, _| PageError::mistake("prices-wrong-unit", field),
    );
    let mut page = PricesPage {
        unit,
        column,
        dates,
        decimals,
        series: series.clone(),
        length,
        currency: currency.clone(),
        ..PricesPage::new(&visit, Some(&account)).await?
    };
    let mut form = visit
        .take_form()
        .ok_or(ApiError::Internal("a form is read twice"))?;
    let (store, language) = (visit.app.store.clone(), visit.language());
    let table = form.take(TABLE)?;
    let upload = move || {
        let currency = typed_currency(&currency);
        let currency =
            currency.map_err(|_| PageError::mistake("prices-wrong-currency", "currency"));
        let added = currency.and_then(|currency| {
            let file = file?;
            let series = (&*series, currency);
            put(&store, &account, series, (&table, &file), language)
        });
        let is_short = added.is_err() && table.len() <= MOST_SHOWN;
        (added, if is_short { table } else { String::new() })
    };
    let (added, table) = form.in_turn(upload).await?;
    match added {
        Ok(holes) => {
            let [count, minutes] = [holes.count.to_string(), holes.minutes().to_string()];
            let to = [
                ("account", &*page.account),
                ("done", "prices"),
                ("gaps", &count),
                ("minutes", &minutes),
                ("length", length.as_str()),
            ];
            let told = if holes.count == 0 { 2 } else { to.len() };
            Ok(leads_to("costs/prices", to.get(..told).unwrap_or(&to)))
        }
        Err(PageError::Form(problem)) => {
            page.table = table;
            page.layout.problem = Some(problem);
            Ok(again(&page))
        }
        Err(other) => Err(other),
    }
}

/// The text about an upload with gaps between its prices, and for how long they are.
fn gaps_text(visit: &Visit) -> Result<Option<String>, PageError> {
    let language = visit.language();
    let [gaps, minutes] = ["gaps", "minutes"].map(|name| visit.param(name));
    // Anyone can write an address.
    let numbers = gaps?.parse::<u32>().ok().zip(minutes?.parse::<u32>().ok());
    let Some((gaps, minutes)) = numbers else {
        return Ok(None);
    };
    let hours = i64::from(minutes).saturating_mul(10) / 6 * 10_000;
    let hours = language.number(&Decimal::from_millionths(hours).to_string());
    let fields = [
        ("gaps", i64::from(gaps).into()),
        ("hours", hours.as_str().into()),
    ];
    let mut text = language.fill("prices-done-gaps", fields);
    if visit.param("length")? != PriceLength::UntilNext.as_str() {
        let choice = language.say("prices-length-until-next");
        text.push(' ');
        text.push_str(&language.fill("prices-done-remedy", [("choice", choice.into())]));
    }
    Ok(Some(text))
}

/// Stores the prices, and says what is missing between them; may block on disk reads.
fn put(
    store: &Store,
    account: &Account,
    (series, currency): (&str, Option<Currency>),
    (table, file): (&str, &PriceFile),
    language: &Language,
) -> Result<Holes, PageError> {
    let name = Label::new(series).map_err(|_| PageError::mistake("prices-wrong-name", "series"))?;
    let read = file.read(name, table.as_bytes().to_vec());
    let FilePrices { series, has_unit } = read.map_err(|error| {
        let text = match error.downcast_ref() {
            Some(&SeriesError::Twice(time)) => {
                let time = Wording::new(&account.zone, language).date_and_clock(time);
                language.fill("prices-wrong-twice", [("time", time.into())])
            }
            Some(&SeriesError::TooClose(time)) => {
                let time = Wording::new(&account.zone, language).date_and_clock(time);
                language.fill("prices-wrong-close", [("time", time.into())])
            }
            _ => language.fill(
                "prices-wrong-other",
                [("problem", error.to_string().into())],
            ),
        };
        PageError::form("table", text)
    })?;
    if series.prices().is_empty() {
        return Err(PageError::mistake("prices-wrong-empty", "table"));
    }
    let currency = currency.or_else(|| series.currency().cloned());
    let series = series.in_currency(currency);
    let holes = series.holes();
    let stored = put_prices(store, &account.name, series, has_unit).map_err(|error| match error {
        AdminError::Unfit(StoreError::TooManySeries(_)) => {
            PageError::mistake("prices-wrong-many-series", "series")
        }
        AdminError::Unfit(StoreError::TooManyPrices(_)) => {
            PageError::mistake("prices-wrong-many-prices", "table")
        }
        AdminError::Field { field, .. } if field == "unit" => {
            PageError::mistake("prices-wrong-size", "unit")
        }
        AdminError::Field { field, .. } if field == "currency" => {
            PageError::mistake("prices-wrong-other-currency", "currency")
        }
        other => PageError::of_admin(other, |_| "table"),
    });
    stored.map(|()| holes)
}
