//! `/prices`: the account's price series.

use std::io::Write as _;
use std::sync::Arc;

use actix_web::{HttpRequest, HttpResponse, web};
use serde_json::json;

use super::names::{END_TIME, FORMAT, START_TIME};
use crate::admin::{SeriesRow, put_prices, typed_currency};
use crate::domain::{AccountName, Timestamp, Zone};
use crate::http::gate::auth::{check_full, reader};
use crate::http::gate::{AppState, Credentials, PriceSender};
use crate::http::protocols::elec::json::uncached;
use crate::http::wire::body::in_background;
use crate::http::wire::points::Format;
use crate::http::wire::stream::ResultText;
use crate::http::wire::{ApiError, params};
use crate::ingest::{FilePrices, PriceFile};
use crate::ledger::contract::{Label, PriceLength, PriceLine, PriceLines};
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

/// Prices as text, some hundreds at a time.
struct PriceText {
    store: Arc<Store>,
    account: AccountName,
    name: Label,
    is_json: bool,
    /// The range of times that is not read yet.
    rest: (Timestamp, Timestamp),
    has_begun: bool,
    has_lines: bool,
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
    let formats = [("json", Format::Json), ("csv", Format::Csv)];
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
    let rest = range(start.as_deref(), end.as_deref(), &zone.unwrap_or(Zone::UTC))?;
    let format = format.unwrap_or(Format::Json);
    let of = account.clone();
    let prices = PriceText {
        store,
        account,
        name,
        is_json: format == Format::Json,
        rest,
        has_begun: false,
        has_lines: false,
        lines: PriceLines::default(),
    };
    app.text(&request, &of, format, prices).await
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
    let registry = store.registry();
    let zone = registry.account(&grant.account).map(|it| it.zone.clone());
    let file = PriceFile::typed(
        (zone.unwrap_or(Zone::UTC), length),
        |field| params::param(query, field),
        ApiError::unfit,
    )?;
    let stored = upload.run(move || {
        let read = file.read(name, body.bytes);
        let FilePrices { series, has_unit } =
            read.map_err(|error| ApiError::unfit("body", error.to_string()))?;
        let holes = series.holes();
        let answer = json!({
            "series": series.name().as_str(),
            "accepted": series.prices().len(),
            "gaps": holes.count,
            "gap_minutes": holes.minutes(),
        });
        let currency = currency.or_else(|| series.currency().cloned());
        let series = series.in_currency(currency);
        put_prices(&store, &grant.account, series, has_unit)?;
        Ok::<_, ApiError>(answer)
    });
    Ok(HttpResponse::Ok().json(stored.await??))
}

impl ResultText for PriceText {
    fn write_run(&mut self, out: &mut Vec<u8>) -> Result<bool, StoreError> {
        let page = self
            .store
            .few_prices(&self.account, &self.name, self.rest)?;
        if !std::mem::replace(&mut self.has_begun, true) {
            let head: &[u8] = if self.is_json { b"[" } else { b"time,price\n" };
            out.extend_from_slice(head);
        }
        for price in &page.prices {
            for line in self.lines.of(price) {
                self.write(line, out);
            }
        }
        if let Some(next) = page.next {
            self.rest.0 = next;
            return Ok(true);
        }
        for line in std::mem::take(&mut self.lines).end() {
            self.write(line, out);
        }
        if self.is_json {
            out.extend_from_slice(b"]\n");
        }
        Ok(false)
    }
}

impl PriceText {
    fn write(&mut self, (time, price): PriceLine, out: &mut Vec<u8>) {
        let is_first = !std::mem::replace(&mut self.has_lines, true);
        let nothing = if self.is_json { "null" } else { "" };
        let price = price.map_or_else(|| nothing.to_owned(), |price| price.to_string());
        // Writing to memory does not fail.
        let _ = if self.is_json {
            let comma = if is_first { "" } else { "," };
            write!(out, "{comma}{{\"time\":\"{time}\",\"price\":{price}}}")
        } else {
            writeln!(out, "{time},{price}")
        };
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
