//! InfluxDB's API in OpenAPI's words.

use serde_json::{Value, json};
use utoipa::openapi::path::{Operation, OperationBuilder, Parameter};
use utoipa::openapi::request_body::{RequestBody, RequestBodyBuilder};
use utoipa::openapi::schema::{AnyOfBuilder, Schema};
use utoipa::openapi::security::{ApiKey, ApiKeyValue, SecurityRequirement, SecurityScheme};
use utoipa::openapi::{
    ComponentsBuilder, ContentBuilder, HeaderBuilder, Object, Ref, RefOr, Required, Response,
    ResponseBuilder,
};

use crate::http::operate::openapi::parts::{
    JSON, answer, as_elsewhere, choice, described, many, needed, number, object, operation,
    or_null, query, refusals, text, whole_number, with_example,
};

/// The ways to sign in that only InfluxDB's clients have.
const USER: &str = "u";
const PASSWORD: &str = "p";
const TOKEN: &str = "influx_token";

/// The errors' schemas.
const ERROR_V1: &str = "InfluxError";
const ERROR_V2: &str = "InfluxError2";

const GROUP: &str = "influx";
const FORM: &str = "application/x-www-form-urlencoded";
const FLUX: &str = "application/vnd.flux";

/// What a body can be wrong in.
const STATUSES: [u16; 9] = [400, 401, 403, 408, 413, 415, 429, 500, 503];
/// A query asks for no right: who may not know of a sensor is told that there is nothing.
const STATUSES_OF_QUERY: [u16; 8] = [400, 401, 408, 413, 415, 429, 500, 503];

/// What the descriptions refer to.
pub(crate) fn describe_parts(components: ComponentsBuilder) -> ComponentsBuilder {
    let by_query = |name, what| {
        SecurityScheme::ApiKey(ApiKey::Query(ApiKeyValue::with_description(name, what)))
    };
    let token = ApiKeyValue::with_description(
        "Authorization",
        "Token, and behind it the api_id and the api_key with a colon between them, or an api_key alone.",
    );
    let error = object().property("error", text()).required("error");
    let codes = [
        "invalid",
        "unauthorized",
        "forbidden",
        "not found",
        "request too large",
        "too many requests",
        "internal error",
        "unavailable",
    ];
    let error_v2 = object()
        .property("code", choice(codes))
        .property("message", text())
        .required("code")
        .required("message");
    components
        .schema(ERROR_V1, error.build())
        .schema(ERROR_V2, error_v2.build())
        .security_scheme(USER, by_query(USER, "The api_id."))
        .security_scheme(PASSWORD, by_query(PASSWORD, "The api_key."))
        .security_scheme(TOKEN, SecurityScheme::ApiKey(ApiKey::Header(token)))
}

/// `/ping`, of one of its methods.
pub(crate) fn describe_ping(id: &str) -> Operation {
    operation(
        id,
        GROUP,
        "Whether InfluxDB's clients can talk here",
        "They can.",
    )
    .response("204", done("It is there."))
    .build()
}

/// `POST /write`
pub(crate) fn describe_write_v1() -> Operation {
    let operation = writing("influx_write", "Store lines, as version 1 of InfluxDB does");
    refusals(operation, &STATUSES, JSON, &error(ERROR_V1))
}

/// `POST /api/v2/write`
pub(crate) fn describe_write_v2() -> Operation {
    let operation = writing(
        "influx_write_v2",
        "Store lines, as version 2 of InfluxDB does",
    );
    refusals(operation, &STATUSES, JSON, &error(ERROR_V2))
}

fn writing(id: &str, summary: &str) -> OperationBuilder {
    let example = "power,sensor=house watts=234.5,watthours=1010.2 1767607200";
    let body = body(
        "Line protocol, whatever its Content-Type says; it may be packed by gzip.",
        [("text/plain", text().into(), Some(json!(example)))],
    );
    signed_in(operation(
        id,
        GROUP,
        summary,
        "Answered once the readings are on stable storage. Which fields of which measurements are readings is in the settings. A line that is wrong is dropped, the others \
         are stored: that is 400, too. Parameters such as db, org and bucket may come, and mean nothing.",
    ))
    .parameter(precision("precision", "The unit of the timestamps, ns by default."))
    .request_body(Some(body))
    .response("204", done("The readings are stored."))
}

/// `GET /query`
pub(crate) fn describe_query_v1() -> Operation {
    let operation = querying("influx_query")
        .parameter(needed(Q, Q_IS, q()))
        .parameter(precision(EPOCH, EPOCH_IS));
    refusals(operation, &STATUSES_OF_QUERY, JSON, &error(ERROR_V1))
}

/// `POST /query`
pub(crate) fn describe_query_v1_by_form() -> Operation {
    let form = object()
        .property(Q, described(q(), Q_IS))
        .property(EPOCH, described(units(), EPOCH_IS))
        .build();
    let mut body = body(
        "The parameters, but for those of the address.",
        [(FORM, form.into(), None)],
    );
    body.required = Some(Required::False);
    let operation = querying("influx_query_by_form")
        .parameter(query(Q, Q_IS, q()))
        .parameter(precision(EPOCH, EPOCH_IS))
        .request_body(Some(body));
    refusals(operation, &STATUSES_OF_QUERY, JSON, &error(ERROR_V1))
}

const Q: &str = "q";
const Q_IS: &str = "SELECT LAST(field) FROM measurement WHERE tag = 'value' AND .., SHOW DATABASES, CREATE DATABASE name; several with a semicolon between them.";
const EPOCH: &str = "epoch";
const EPOCH_IS: &str = "The unit of times in the answer; without it they are written out.";

fn q() -> Object {
    with_example(
        text(),
        "SELECT LAST(\"watts\") FROM \"power\" WHERE \"sensor\" = 'house'",
    )
}

fn querying(id: &str) -> OperationBuilder {
    let cell = AnyOfBuilder::new().item(or_null(number())).item(text());
    let series = object()
        .property("name", text())
        .property("columns", many(text()).build())
        .property("values", many(many(cell).build()).build())
        .required("name")
        .required("columns")
        .required("values");
    let result = object()
        .property("statement_id", whole_number())
        .property("series", many(series.build()).build())
        .required("statement_id");
    let results = object()
        .property("results", many(result.build()).build())
        .required("results");
    signed_in(operation(
        id,
        GROUP,
        "Where a writer goes on, by InfluxQL",
        "The newest value of a field, with its time; no value for credentials that are for uploads only.",
    ))
    .parameter(query("db", "What SHOW DATABASES tells, the account by default.", text()))
    .response(
        "200",
        answer("A result for each statement.", JSON, results.build()),
    )
}

/// `POST /api/v2/query`
pub(crate) fn describe_query_v2() -> Operation {
    let example = "from(bucket: \"home\") |> range(start: 1767600000, stop: 1767603600) |> filter(fn: (r) => (r._measurement == \"power\" and r.sensor == \"house\" and \
                   r._field == \"watts\")) |> last() |> map(fn: (r) => ({_measurement: r._measurement, _time: (uint(v:r._time)) / uint(v:1000000000)})) |> sort (columns: \
                   [\"_time\"], desc: true)";
    let wrapped = object().property("query", text()).required("query");
    let body = body(
        "Flux as it is, or in JSON, whatever the Content-Type says.",
        [
            (
                JSON,
                wrapped.build().into(),
                Some(json!({"query": example})),
            ),
            (FLUX, text().into(), None),
        ],
    );
    let operation = signed_in(operation(
        "influx_query_v2",
        GROUP,
        "Where a writer goes on, by Flux",
        "The one query of IoTaWatt: the times of the newest values of some fields.",
    ))
    .request_body(Some(body))
    .response(
        "200",
        answer(
            "Measurements and times in seconds since 1970.",
            "text/csv; charset=utf-8",
            text(),
        ),
    );
    refusals(operation, &STATUSES_OF_QUERY, JSON, &error(ERROR_V2))
}

/// Signing in by the parameters `u` and `p`, or by a header.
fn signed_in(operation: OperationBuilder) -> OperationBuilder {
    let none: [&str; 0] = [];
    let pair = SecurityRequirement::new(USER, none).add(PASSWORD, none);
    as_elsewhere(operation, pair).security(SecurityRequirement::new(TOKEN, none))
}

fn precision(name: &str, description: &str) -> Parameter {
    query(name, description, units())
}

/// Units of time.
fn units() -> Object {
    choice(["ns", "n", "us", "u", "µs", "µ", "ms", "s", "m", "h"])
}

fn error(name: &str) -> RefOr<Schema> {
    Ref::from_schema_name(name).into()
}

/// An answer without a body.
fn done(description: &str) -> Response {
    let version = HeaderBuilder::new()
        .schema(Some(text()))
        .description(Some("The version of InfluxDB that it is like."));
    ResponseBuilder::new()
        .description(description)
        .header("X-Influxdb-Version", version.build())
        .build()
}

/// A body of one of these media types, each with an example where there is one.
fn body<const N: usize>(
    description: &str,
    forms: [(&str, RefOr<Schema>, Option<Value>); N],
) -> RequestBody {
    let body = RequestBodyBuilder::new()
        .description(Some(description))
        .required(Some(Required::True));
    let body = forms
        .into_iter()
        .fold(body, |body, (media, schema, example)| {
            let content = ContentBuilder::new().schema(Some(schema)).example(example);
            body.content(media, content.build())
        });
    body.build()
}
