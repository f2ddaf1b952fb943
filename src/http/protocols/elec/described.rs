//! The "elec" API in OpenAPI's words.

use serde_json::json;
use utoipa::openapi::path::Operation;
use utoipa::openapi::request_body::RequestBodyBuilder;
use utoipa::openapi::schema::{AnyOfBuilder, OneOfBuilder, Schema};
use utoipa::openapi::{
    ContentBuilder, Object, ObjectBuilder, RefOr, Required, Response, ResponseBuilder, Type,
};

use crate::http::gate::auth::{API_ID, API_KEY};
use crate::http::operate::openapi::parts::{
    BASIC, answer, by_header, by_key, choice, described, many, needed, number, object, operation,
    or_null, problems, query, text, time, whole_number, with_example,
};
use crate::http::protocols::elec::download::{AGGREGATES, FORMATS, INTERVALS};
use crate::http::protocols::elec::names::{
    AGG, END_TIME, FORMAT, INTERVAL, READINGS, SENSOR_ID, START_TIME, TIME, TYPE, TZ, WATTHOURS,
    WATTS,
};
use crate::http::wire::points::Format;

/// The forms of times in requests.
const MOMENT: &str = r"^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(\.\d+)?(Z|[+-]\d{2}:\d{2})?$";
const MOMENT_OR_DATE: &str =
    r"^\d{4}-\d{2}-\d{2}(T\d{2}:\d{2}:\d{2}(\.\d+)?(Z|[+-]\d{2}:\d{2})?)?$";

/// `POST /elec`
pub(crate) fn describe_upload() -> Operation {
    let accepted = object()
        .property("accepted", described(whole_number(), "How many readings."))
        .required("accepted");
    let body = OneOfBuilder::new().item(single()).item(batch());
    let example = json!({SENSOR_ID: "house", READINGS: [{TIME: "2026-01-05T10:00:00", WATTS: 234, WATTHOURS: 1010.2}]});
    let content = ContentBuilder::new()
        .schema(Some(body))
        .example(Some(example));
    let body = RequestBodyBuilder::new()
        .description(Some("One reading or a list of them. It is read as JSON whatever its Content-Type says, and may be packed by gzip."))
        .required(Some(Required::True))
        .content("application/json", content.build());
    let described = operation(
        "upload",
        "elec",
        "Upload readings",
        "Answered once the readings are on stable storage. A list is stored whole or not at all. The same sensor and time again: the fields that are there replace, the others stay. \
         Credentials stand in the body, or come by HTTP Basic.",
    );
    let described = by_header(described, BASIC)
        .request_body(Some(body.build()))
        .response(
            "200",
            answer(
                "The readings are stored.",
                "application/json",
                accepted.build(),
            ),
        );
    problems(described, &[400, 401, 403, 408, 413, 415, 429, 500, 503])
}

/// `GET /elec`
pub(crate) fn describe_download() -> Operation {
    let names = |table: &[&'static str]| choice(table.iter().copied());
    let intervals = INTERVALS.map(|(name, _)| name);
    let aggregates = AGGREGATES.map(|(name, _)| name);
    let formats = FORMATS.map(|(name, _)| name);
    let described = operation(
        "download",
        "elec",
        "Download results",
        "rate: power readings in the range, both ends included. consumption: differences of registers. latest_rate: the newest power reading, where anything was uploaded in \
         the last two hours. net_consumption: one difference over the range, for paid accounts.",
    );
    let moment = || with_example(time_as(MOMENT_OR_DATE), "2026-01-05T00:00:00Z");
    let described = by_key(described)
        .parameter(needed(
            SENSOR_ID,
            "The sensor.",
            with_example(text(), "house"),
        ))
        .parameter(needed(
            TYPE,
            "What is asked for.",
            choice(["rate", "consumption", "latest_rate", "net_consumption"]),
        ))
        .parameter(query(
            START_TIME,
            "Where the range begins; needed but for latest_rate.",
            moment(),
        ))
        .parameter(query(
            END_TIME,
            "Where it ends; needed but for latest_rate.",
            moment(),
        ))
        .parameter(query(
            INTERVAL,
            "One point for each bucket of this length; of rate and consumption.",
            names(&intervals),
        ))
        .parameter(query(
            TZ,
            "Whose clocks buckets and dates go by, UTC by default; of rate and consumption.",
            with_example(text(), "Europe/Berlin"),
        ))
        .parameter(query(
            AGG,
            "What is told of a bucket of power, mean by default; only with an interval.",
            names(&aggregates),
        ))
        .parameter(query(
            FORMAT,
            "How the result is written, json by default.",
            names(&formats),
        ))
        .response("200", result());
    problems(described, &[400, 401, 403, 404, 429, 500, 503])
}

/// A time that a request tells, in one of its forms.
fn time_as(form: &str) -> Object {
    ObjectBuilder::new()
        .schema_type(Type::String)
        .pattern(Some(form))
        .build()
}

/// A result in each format.
fn result() -> Response {
    let point = object()
        .property("t", time())
        .property("v", number())
        .required("t")
        .required("v");
    let units = choice(["watts", "watthours"]);
    let json = object()
        .property("units", units)
        .property("data", many(point.build()).build())
        .required("units")
        .required("data");
    let content = |schema: Object| ContentBuilder::new().schema(Some(schema)).build();
    ResponseBuilder::new()
        .description("The result, ascending in time.")
        .content(Format::Json.content_type(), content(json.build()))
        .content(
            Format::Ndjson.content_type(),
            content(described(text(), "A line for each point.")),
        )
        .content(
            Format::Csv.content_type(),
            content(described(text(), "A header and a line for each point.")),
        )
        .build()
}

fn single() -> Object {
    fields_of_reading(who())
        .description(Some("One reading."))
        .build()
}

fn batch() -> Object {
    let reading = fields_of_reading(object()).build();
    who()
        .property(READINGS, many(reading).min_items(Some(1)).build())
        .required(READINGS)
        .description(Some("Several readings."))
        .build()
}

/// The sensor, and the credentials where they are not in a header.
fn who() -> ObjectBuilder {
    object()
        .property(SENSOR_ID, with_example(text(), "house"))
        .property(API_ID, text())
        .property(API_KEY, text())
        .required(SENSOR_ID)
}

/// When it was measured and what: one of the two measures at least.
fn fields_of_reading(object: ObjectBuilder) -> ObjectBuilder {
    let measured = "When it was measured, at most 24 hours ahead of the service's clock; now, where it is left out.";
    object
        .property(
            TIME,
            with_example(
                or_null(described(time_as(MOMENT), measured)),
                "2026-01-05T10:00:00Z",
            ),
        )
        .property(WATTS, measure("Power, in watts."))
        .property(WATTHOURS, measure("The meter's register, in watt-hours."))
}

/// A number, or a text that holds one.
fn measure(what: &str) -> RefOr<Schema> {
    let digits = ObjectBuilder::new()
        .schema_type(Type::String)
        .pattern(Some(r"^\s*[+-]?\d+(\.\d+)?([eE][+-]?\d{1,2})?\s*$"));
    AnyOfBuilder::new()
        .item(number())
        .item(digits.build())
        .description(Some(what))
        .into()
}
