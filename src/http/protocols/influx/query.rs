//! `/query` and `/api/v2/query`: queries that tell writers where to resume.
//!
//! An upload-only credential gets times, which a writer needs, but no values.

use std::fmt::Write as _;
use std::sync::Arc;

use actix_web::HttpResponse;
use serde_json::{Value, json};

use crate::domain::Timestamp;
use crate::http::gate::AppState;
use crate::http::protocols::influx::call::{InfluxCall, precision, respond, sign_in};
use crate::http::protocols::influx::error;
use crate::http::protocols::influx::flux::{LastOf, last_of};
use crate::http::protocols::influx::influxql::{Statement, statements};
use crate::http::protocols::influx::last::{FieldSeries, last, target};
use crate::http::wire::body::in_background;
use crate::http::wire::params::param;
use crate::http::wire::{ApiError, Body};
use crate::ingest::influx::{FieldMapping, Precision};
use crate::query::Point;
use crate::store::Grant;

/// `GET /query`, `POST /query`: InfluxQL, in the parameter `q` of the URL or of a form.
pub(super) async fn query_v1(call: InfluxCall) -> HttpResponse {
    respond(influxql(call).await, error::of_v1)
}

/// `POST /api/v2/query`: Flux, plain or in JSON.
pub(super) async fn query_v2(call: InfluxCall) -> HttpResponse {
    respond(flux(call).await, error::of_v2)
}

async fn influxql((request, payload, app, influx): InfluxCall) -> Result<HttpResponse, ApiError> {
    sign_in(&request, &app)?;
    let Body { bytes, reserved } = app.read_body(&request, payload, || true).await?;
    // Checked again, because the body may have come slowly.
    let grant = sign_in(&request, &app)?;
    let form = String::from_utf8_lossy(&bytes);
    // Clients put parameters into the URL, into a form, or into both.
    let parameters = [request.query_string(), form.as_ref()].join("&");
    let query = param(&parameters, "q")?
        .ok_or_else(|| ApiError::foreign("missing required parameter \"q\""))?;
    let epoch = precision(&parameters, "epoch")?;
    // There are no databases: the requested one exists, or else one named like the account.
    let database = param(&form, "db")?.or(param(request.query_string(), "db")?);
    let database = database.unwrap_or_else(|| grant.account.as_str().to_owned());
    let statements = statements(&query).map_err(ApiError::foreign)?;
    let series = statements.iter().map(|statement| match statement {
        Statement::Last(series) => Some(series),
        _ => None,
    });
    let lasts = lasts((&app, &influx.mapping), &grant, series, Timestamp::MAX).await?;
    drop(reserved);
    let results = statements.iter().zip(lasts).enumerate();
    let results: Vec<Value> = results
        .map(|(id, (statement, last))| match (statement, last) {
            (Statement::ShowDatabases, _) => {
                let databases = table("databases", &["name"], &[json!(database)]);
                json!({"statement_id": id, "series": [databases]})
            }
            (Statement::Last(series), Some(last)) => {
                let row = [time(last.time, epoch), json!(value(&grant, last))];
                let last = table(&series.measurement, &["time", "last"], &row);
                json!({"statement_id": id, "series": [last]})
            }
            _ => json!({"statement_id": id}),
        })
        .collect();
    Ok(HttpResponse::Ok().json(json!({"results": results})))
}

/// A table of one row.
fn table(name: &str, columns: &[&str], row: &[Value]) -> Value {
    json!({"name": name, "columns": columns, "values": [row]})
}

/// The value, unless the credentials are for uploads only.
fn value(grant: &Grant, last: Point) -> Option<f64> {
    grant.scope.may_read().then_some(last.value)
}

/// A time as a number in the requested unit, or in InfluxDB's text form without trailing zeros in
/// the fraction.
fn time(time: Timestamp, epoch: Option<Precision>) -> Value {
    if let Some(precision) = epoch {
        return json!(precision.number(time));
    }
    let text = time.to_string();
    let (seconds, fraction) = text
        .trim_end_matches('Z')
        .split_once('.')
        .unwrap_or_default();
    match fraction.trim_end_matches('0') {
        "" => json!(format!("{seconds}Z")),
        fraction => json!(format!("{seconds}.{fraction}Z")),
    }
}

async fn flux((request, payload, app, influx): InfluxCall) -> Result<HttpResponse, ApiError> {
    #[derive(serde::Deserialize)]
    struct Wrapped {
        query: String,
    }
    sign_in(&request, &app)?;
    let Body { bytes, reserved } = app.read_body(&request, payload, || true).await?;
    // Checked again, because the body may have come slowly.
    let grant = sign_in(&request, &app)?;
    // Clients send the query as JSON or as plain text, and their Content-Type does not always say
    // which.
    let query = match serde_json::from_slice::<Wrapped>(&bytes) {
        Ok(wrapped) => wrapped.query,
        Err(_) => String::from_utf8_lossy(&bytes).into_owned(),
    };
    let LastOf {
        start,
        stop,
        series,
    } = last_of(&query).map_err(ApiError::foreign)?;
    let time = |seconds| {
        let time = Precision::Seconds.time(seconds);
        time.ok_or_else(|| ApiError::foreign("range: the years 0000 to 9999 are supported"))
    };
    let (start, stop) = (time(start)?, time(stop)?);
    // In Flux, the range excludes its stop.
    let end = stop.saturating_add_millis(-1);
    let each = series.iter().map(Some);
    let lasts = lasts((&app, &influx.mapping), &grant, each, end).await?;
    drop(reserved);
    let found = series
        .iter()
        .zip(lasts)
        .filter_map(|(series, last)| Some((series.measurement.as_str(), last?.time)))
        // This is the newest value up to the stop; if even that is before the range, the range is
        // empty.
        .filter(|(_, time)| *time >= start);
    Ok(HttpResponse::Ok()
        .content_type("text/csv; charset=utf-8")
        .body(csv(found.collect())))
}

/// Times by measurement, in InfluxDB's CSV without annotations: one table per measurement, newest
/// time first. IoTaWatt takes the last column of the first row as the time, and finds its end by
/// the carriage return.
fn csv(mut found: Vec<(&str, Timestamp)>) -> String {
    found.sort_by(|(a, at_a), (b, at_b)| a.cmp(b).then(at_b.cmp(at_a)));
    let mut text = String::new();
    let (mut table, mut before) = (0, None);
    for (measurement, time) in found {
        match before {
            None => text += ",result,table,_measurement,_time\r\n",
            Some(before) if before != measurement => table += 1,
            Some(_) => {}
        }
        before = Some(measurement);
        let seconds = time.millis().div_euclid(1_000);
        let name = if measurement.contains(['"', ',', '\r', '\n']) {
            format!("\"{}\"", measurement.replace('"', "\"\""))
        } else {
            measurement.to_owned()
        };
        // Writing to a string does not fail.
        let _ = write!(text, ",_result,{table},{name},{seconds}\r\n");
    }
    text + "\r\n"
}

/// The newest value up to `end` of each series that `grant` has access to.
async fn lasts<'s>(
    (app, mapping): (&AppState, &FieldMapping),
    grant: &Grant,
    series: impl Iterator<Item = Option<&'s FieldSeries>>,
    end: Timestamp,
) -> Result<Vec<Option<Point>>, ApiError> {
    let targets = series.map(|series| target(app, mapping, grant, series?));
    let targets: Vec<_> = targets.collect();
    let store = Arc::clone(&app.store);
    let found = in_background(move || {
        let of = |target| last(&store, target, end);
        let found = targets
            .iter()
            .map(|target| target.as_ref().map_or(Ok(None), of));
        found.collect::<Result<_, _>>()
    });
    Ok(found.await??)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tables_are_as_iotawatt_takes_them() {
        let at = |seconds: i64| Timestamp::from_millis(seconds * 1_000).unwrap();
        assert_eq!(csv(Vec::new()), "\r\n");
        assert_eq!(
            csv(vec![("b", at(5)), ("a,c", at(3)), ("b", at(7))]),
            ",result,table,_measurement,_time\r\n,_result,0,\"a,c\",3\r\n,_result,1,b,7\r\n,_result,1,b,5\r\n\r\n"
        );
    }

    #[test]
    fn times_are_written_as_the_client_wants_them() {
        let at = |text, epoch| time(Timestamp::parse(text).unwrap(), epoch);
        assert_eq!(at("2026-01-05T10:00:00", None), "2026-01-05T10:00:00Z");
        assert_eq!(
            at("2026-01-05T10:00:50.120", None),
            "2026-01-05T10:00:50.12Z"
        );
        assert_eq!(
            at("2026-01-05T10:00:00.999", Some(Precision::Seconds)),
            1_767_607_200
        );
    }
}
