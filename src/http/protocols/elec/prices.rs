//! `/prices`: the account's price series.

use std::fmt::Write as _;
use std::sync::Arc;

use actix_web::http::header::CACHE_CONTROL;
use actix_web::web::Bytes;
use actix_web::{HttpRequest, HttpResponse, web};
use futures_util::stream;
use serde_json::json;

use super::names::{END_TIME, FORMAT, START_TIME};
use crate::admin::{SeriesRow, put_prices, typed_currency};
use crate::domain::{AccountName, Timestamp, Zone};
use crate::http::gate::auth::{check_full, reader};
use crate::http::gate::{AppState, Credentials, PriceSender};
use crate::http::protocols::elec::json::uncached;
use crate::http::wire::body::in_background;
use crate::http::wire::stream::without_chunks;
use crate::http::wire::{ApiError, params};
use crate::ledger::contract::{Label, PriceLength, PriceLine, PriceLines, PriceSeries};
use crate::store::{Store, StoreError};

const SERIES: &str = "series";
const LENGTH: &str = "length";
const CURRENCY: &str = "currency";
const LENGTHS: [(&str, PriceLength); 4] = [
    ("spacing", PriceLength::Spacing),
    ("hour", PriceLength::Hour),
    ("quarter", PriceLength::Quarter),
    ("until-next", PriceLength::UntilNext),
];

/// How prices are written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum PriceFormat {
    Json,
    Csv,
}

/// Prices being sent to a client: pages of some thousands, each read once the previous one was
/// taken.
struct PriceStream {
    store: Arc<Store>,
    account: AccountName,
    name: Label,
    format: PriceFormat,
    /// Where the next page starts; `None` once all are read.
    from: Option<Timestamp>,
    end: Timestamp,
    is_first: bool,
    lines: PriceLines,
}

/// `GET /prices`: the list of the account's series, or the prices of one.
pub(crate) async fn get(
    request: HttpRequest,
    app: web::Data<AppState>,
) -> Result<HttpResponse, ApiError> {
    let query = request.query_string();
    let name = params::param(query, SERIES)?;
    let name = name.map(|name| label(&name)).transpose()?;
    let formats = [("json", PriceFormat::Json), ("csv", PriceFormat::Csv)];
    let format = params::one_of(query, FORMAT, &formats)?;
    let times = [START_TIME, END_TIME].map(|name| params::param(query, name));
    let [start, end] = times;
    let (start, end) = (start?, end?);
    // Checks that these are times at all, before the credentials tell in which zone a date is.
    range(start.as_deref(), end.as_deref(), &Zone::UTC)?;
    let grant = reader(&app, &request)?;
    let (store, account) = (Arc::clone(&app.store), grant.account);
    let Some(name) = name else {
        let rows = in_background(move || {
            let all = store.series(&account)?;
            let rows = all.iter().map(|one| SeriesRow::new(&account, one));
            Ok::<_, StoreError>(rows.collect::<Vec<_>>())
        });
        return Ok(uncached(json!({"series": rows.await??})));
    };
    let registry = store.registry();
    let zone = registry.account(&account).map(|known| known.zone.clone());
    let (from, end) = range(start.as_deref(), end.as_deref(), &zone.unwrap_or(Zone::UTC))?;
    let format = format.unwrap_or(PriceFormat::Json);
    let prices = PriceStream {
        store,
        account,
        name,
        format,
        from: Some(from),
        end,
        is_first: true,
        lines: PriceLines::default(),
    };
    // The first page is read before the status, so that a failure of the store is an error
    // response.
    let (first, rest) = in_background(move || prices.page()).await??;
    let body = stream::unfold(Some((first, rest)), async |state| {
        let (text, rest) = state?;
        if rest.from.is_none() {
            return Some((Ok::<_, ApiError>(Bytes::from(text)), None));
        }
        match in_background(move || rest.page()).await {
            Ok(Ok(next)) => Some((Ok(Bytes::from(text)), Some(next))),
            Ok(Err(error)) => Some((Err(error.into()), None)),
            Err(error) => Some((Err(error), None)),
        }
    });
    let mut response = HttpResponse::Ok();
    response.insert_header((CACHE_CONTROL, "no-store"));
    response.content_type(match format {
        PriceFormat::Json => "application/json",
        PriceFormat::Csv => "text/csv; charset=utf-8",
    });
    let mut response = response.streaming(body);
    without_chunks(&request, &mut response);
    Ok(response)
}

/// `PUT /prices`: merges the prices in the body into a series, replacing those at the same times;
/// responds once they are durable.
pub(crate) async fn put(
    request: HttpRequest,
    payload: web::Payload,
    app: web::Data<AppState>,
) -> Result<HttpResponse, ApiError> {
    let query = request.query_string();
    let name = label(&params::required(query, SERIES)?)?;
    let length = params::one_of(query, LENGTH, &LENGTHS)?.unwrap_or_default();
    let currency = params::param(query, CURRENCY)?.unwrap_or_default();
    let currency = typed_currency(&currency)?;
    // Before the body, which may be large.
    let credentials = Credentials::of_query(&request)?;
    let allowed = || {
        let grant = credentials.sign_in(&app, &request)?;
        check_full(&grant, "prices")?;
        Ok::<_, ApiError>(grant)
    };
    let sender = PriceSender::Key(allowed()?.account, credentials.id().clone());
    let (body, upload) = app.read_prices(&request, (payload, sender)).await?;
    // And after it, because it may have come slowly, and the key may have been revoked meanwhile.
    let grant = allowed()?;
    let store = Arc::clone(&app.store);
    let stored = upload.run(move || {
        let text = std::str::from_utf8(&body.bytes)
            .map_err(|_| ApiError::unfit("body", "expected text in UTF-8"))?;
        let series = if text.trim_start().starts_with('[') {
            PriceSeries::parse_json(name, text, length)
        } else {
            PriceSeries::parse_csv(name, text, length)
        };
        let series = series.map_err(|error| ApiError::unfit("body", error.to_string()))?;
        // Only the parsed prices are needed now.
        drop(body);
        let answer = json!({"series": series.name().as_str(), "accepted": series.prices().len()});
        put_prices(&store, &grant.account, series.in_currency(currency))?;
        Ok::<_, ApiError>(answer)
    });
    Ok(HttpResponse::Ok().json(stored.await??))
}

impl PriceStream {
    /// Returns the text of the next page, and the rest of the stream.
    fn page(mut self) -> Result<(String, Self), StoreError> {
        let from = self.from.unwrap_or(self.end);
        let page = self
            .store
            .price_page(&self.account, &self.name, (from, self.end))?;
        let mut text = String::with_capacity(page.prices.len() * 48 + 16);
        let is_json = self.format == PriceFormat::Json;
        if self.is_first {
            text.push_str(if is_json { "[" } else { "time,price\n" });
        }
        let mut is_first = std::mem::take(&mut self.is_first);
        // An empty page of JSON leaves the comma to the next page.
        self.is_first = is_first && page.prices.is_empty() && page.next.is_some() && is_json;
        let mut lines: Vec<PriceLine> = Vec::with_capacity(page.prices.len() + 1);
        for price in &page.prices {
            lines.extend(self.lines.of(price));
        }
        if page.next.is_none() {
            lines.extend(std::mem::take(&mut self.lines).end());
        }
        for (time, price) in lines {
            let nothing = if is_json { "null" } else { "" };
            let price = price.map_or_else(|| nothing.to_owned(), |price| price.to_string());
            // Writing to a text does not fail.
            let _ = if is_json {
                let comma = if std::mem::take(&mut is_first) {
                    ""
                } else {
                    ","
                };
                write!(text, "{comma}{{\"time\":\"{time}\",\"price\":{price}}}")
            } else {
                writeln!(text, "{time},{price}")
            };
        }
        if page.next.is_none() && is_json {
            text.push_str("]\n");
        }
        self.from = page.next;
        Ok((text, self))
    }
}

/// The range of a query; where an end is missing, it reaches to the limit.
fn range(
    start: Option<&str>,
    end: Option<&str>,
    zone: &Zone,
) -> Result<(Timestamp, Timestamp), ApiError> {
    let time = |name, text: Option<&str>, missing| {
        text.map_or(Ok(missing), |text| params::time(name, text, zone))
    };
    let start = time(START_TIME, start, Timestamp::MIN)?;
    Ok((start, time(END_TIME, end, Timestamp::MAX)?))
}

fn label(text: &str) -> Result<Label, ApiError> {
    let expected = |error| format!("{error}, such as day-ahead");
    Label::new(text).map_err(|error| ApiError::unfit(SERIES, expected(error)))
}
