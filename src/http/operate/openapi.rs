//! `GET /openapi.json`: the API, described by OpenAPI 3.1.
//!
//! The description is docs/openapi.json. The tests here compare it with the constants of the
//! parsers, and tests/blackbox/http/openapi.rs compares it with the routes and their answers.

use std::convert::Infallible;
use std::sync::OnceLock;

use actix_web::body::{MessageBody, SizedStream};
use actix_web::http::header::ContentType;
use actix_web::web::Bytes;
use actix_web::{HttpResponse, web};
use futures_util::stream;
use serde_json::{Map, Value};

use crate::http::gate::resource::{guarded, only};

/// A service with every protocol enabled and the API at [`BASE_PATH`].
const COMPLETE: &str = include_str!("../../../docs/openapi.json");
const BASE_PATH: &str = "/api/v0.2";

/// The description of one service.
pub(crate) struct Description {
    base_path: String,
    disabled: Vec<&'static str>,
    /// The answer, made at the first request. Few people ask for it, and the parsed document takes
    /// more than a megabyte.
    json: OnceLock<Bytes>,
}

impl Description {
    /// Describes a service whose API is below `base_path`, without the operations tagged with
    /// `disabled` protocols.
    pub(crate) fn new(base_path: &str, disabled: &[&'static str]) -> Self {
        Self {
            base_path: base_path.to_owned(),
            disabled: disabled.to_vec(),
            json: OnceLock::new(),
        }
    }

    /// The whole description.
    pub(crate) fn document(&self) -> Value {
        // Part of the binary and parsed by the tests below, so it cannot fail.
        let complete: Value = serde_json::from_str(COMPLETE).unwrap_or_default();
        let mut document = complete.clone();
        if let Some(version) = document.pointer_mut("/info/version") {
            *version = env!("CARGO_PKG_VERSION").into();
        }
        if let Some(Value::Object(paths)) = document.get_mut("paths") {
            *paths = served(std::mem::take(paths), &self.base_path, &self.disabled);
            paths.values_mut().for_each(|path| inline(path, &complete));
            let used = Value::from(paths.clone()).to_string();
            if let Some(Value::Object(components)) = document.get_mut("components") {
                retain_used(components, &used);
            }
        }
        document
    }
}

/// Returns the paths that one service has, out of all paths.
fn served(all: Map<String, Value>, base_path: &str, disabled: &[&str]) -> Map<String, Value> {
    let is_disabled = |operations: &Value| {
        // The first tag is enough: all methods of a path have the same tag.
        let mut operations = operations.as_object().into_iter().flatten();
        let tag = operations.find_map(|(_, operation)| operation.pointer("/tags/0")?.as_str());
        tag.is_some_and(|tag| disabled.contains(&tag))
    };
    all.into_iter()
        .filter(|(_, operations)| !is_disabled(operations))
        .map(|(path, operations)| match path.strip_prefix(BASE_PATH) {
            Some(rest) => (format!("{base_path}{rest}"), operations),
            None => (path, operations),
        })
        .collect()
}

/// Replaces each reference, except those to schemas, by its target, so that the page /openapi, and
/// clients that do not follow references, find a whole operation in one place.
fn inline(value: &mut Value, complete: &Value) {
    match value {
        Value::Object(members) => {
            let reference = members.get("$ref").and_then(Value::as_str);
            let pointer = reference.and_then(|reference| reference.strip_prefix('#'));
            let pointer = pointer.filter(|pointer| !pointer.starts_with("/components/schemas/"));
            match pointer.and_then(|pointer| complete.pointer(pointer)) {
                // Not searched again: components refer to schemas only, and those stay references.
                Some(referenced) => *value = referenced.clone(),
                None => members
                    .values_mut()
                    .for_each(|member| inline(member, complete)),
            }
        }
        Value::Array(items) => items.iter_mut().for_each(|item| inline(item, complete)),
        _ => {}
    }
}

/// Drops the components that no operation in `paths` uses, and those that were inlined.
fn retain_used(components: &mut Map<String, Value>, paths: &str) {
    components.retain(|kind, _| ["schemas", "securitySchemes"].contains(&kind.as_str()));
    for named in components.values_mut().filter_map(Value::as_object_mut) {
        named.retain(|name, _| {
            // Searched as text, with its quotes, so that no name matches part of another. No schema
            // refers to another.
            let as_schema = format!("\"#/components/schemas/{name}\"");
            let as_security = format!("\"{name}\":[]");
            paths.contains(&as_schema) || paths.contains(&as_security)
        });
    }
}

/// The route.
pub(crate) fn configure(cfg: &mut web::ServiceConfig) {
    let described = only("GET", "/openapi.json");
    cfg.service(guarded(described.route(web::get().to(show))));
}

async fn show(description: web::Data<Description>) -> HttpResponse {
    let json = description
        .json
        .get_or_init(|| description.document().to_string().into());
    HttpResponse::Ok()
        .content_type(ContentType::json())
        .body(in_pieces(json.clone()))
}

/// A body that is passed on piece by piece. As a whole, each connection would hold a copy of it,
/// read or not.
fn in_pieces(whole: Bytes) -> impl MessageBody + 'static {
    const PIECE: usize = 16 * 1_024;
    let length = whole.len();
    let piece = move |start: usize| {
        let end = length.min(start + PIECE);
        Ok::<_, Infallible>(whole.slice(start..end))
    };
    let pieces = (0..length).step_by(PIECE).map(piece);
    SizedStream::new(length as u64, stream::iter(pieces))
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use actix_web::http::StatusCode;

    use super::*;
    use crate::chart::{ChartKind, PictureSize};
    use crate::domain::Interval;
    use crate::http::gate::auth::{API_ID, API_KEY};
    use crate::http::protocols::chart;
    use crate::http::protocols::elec::{cheapest, download, events, names};
    use crate::http::wire::Format;
    use crate::ingest::influx::Precision;

    /// The member at a JSON pointer of the served description.
    fn at(pointer: &str) -> Value {
        let document = Description::new(BASE_PATH, &[]).document();
        let found = document.pointer(pointer).cloned();
        found.unwrap_or_else(|| panic!("{pointer} in {document}"))
    }

    fn texts(list: &Value) -> Vec<&str> {
        list.as_array()
            .unwrap()
            .iter()
            .map(|text| text.as_str().unwrap())
            .collect()
    }

    fn keys(object: &Value) -> BTreeSet<&str> {
        object
            .as_object()
            .unwrap()
            .keys()
            .map(String::as_str)
            .collect()
    }

    /// The parameters of a GET, each with its schema.
    fn parameters(path: &str) -> Vec<(String, Value)> {
        let all = at(&format!(
            "/paths/{}/get/parameters",
            path.replace('/', "~1")
        ));
        let all = all.as_array().unwrap().iter();
        all.map(|one| {
            (
                one["name"].as_str().unwrap().to_owned(),
                one["schema"].clone(),
            )
        })
        .collect()
    }

    /// The values that a parameter of a GET takes.
    fn choices(path: &str, name: &str) -> Vec<String> {
        let parameters = parameters(path);
        let (_, schema) = parameters.iter().find(|(known, _)| known == name).unwrap();
        texts(&schema["enum"])
            .into_iter()
            .map(str::to_owned)
            .collect()
    }

    #[test]
    fn parameters_of_downloads_are_those_of_the_parser() {
        let path = "/api/v0.2/elec";
        let described: Vec<_> = parameters(path).into_iter().map(|(name, _)| name).collect();
        let read = [
            names::SENSOR_ID,
            names::TYPE,
            names::START_TIME,
            names::END_TIME,
            names::INTERVAL,
            names::TZ,
            names::AGG,
            names::FORMAT,
            names::CORRECTED,
        ];
        assert_eq!(described, read);
        let intervals = Interval::ALL.map(Interval::as_str);
        assert_eq!(choices(path, names::INTERVAL), intervals);
        let aggregates = download::AGGREGATES.map(|(name, _)| name);
        assert_eq!(choices(path, names::AGG), aggregates);
        assert_eq!(
            choices(path, names::FORMAT),
            download::FORMATS.map(|(name, _)| name)
        );
        let flags = download::FLAGS.map(|(name, _)| name);
        assert_eq!(choices(path, names::CORRECTED), flags);
        let of_prices = "/api/v0.2/prices/cheapest";
        let described = parameters(of_prices).into_iter().map(|(name, _)| name);
        let read = [
            cheapest::HOURS,
            cheapest::BEFORE,
            names::START_TIME,
            cheapest::SPLIT,
        ];
        assert_eq!(described.collect::<Vec<_>>(), read);
        assert_eq!(choices(of_prices, cheapest::SPLIT), flags);
        let events = "/api/v0.2/events";
        assert_eq!(choices(events, names::OPEN), flags);
        assert_eq!(
            choices(events, names::FORMAT),
            events::FORMATS.map(|(name, _)| name)
        );
        let refusal = download::read("sensor_id=house&type=x")
            .unwrap_err()
            .to_string();
        let types = choices(path, names::TYPE)
            .join(", ")
            .replace(", net_", " or net_");
        assert_eq!(refusal, format!("type: expected {types}; got x"));
        let contents = at("/paths/~1api~1v0.2~1elec/get/responses/200/content");
        let formats = [Format::Json, Format::Ndjson, Format::Csv].map(Format::content_type);
        assert_eq!(keys(&contents), BTreeSet::from(formats));
    }

    #[test]
    fn parameters_of_charts_are_those_of_the_parser() {
        assert_eq!(
            choices("/chart.svg", "kind"),
            ChartKind::ALL.map(ChartKind::as_str)
        );
        assert_eq!(
            choices("/chart.svg", "theme"),
            chart::THEMES.map(|(name, _)| name)
        );
        for (name, schema) in parameters("/chart.svg") {
            let pixels = match name.as_str() {
                "width" => PictureSize::WIDTHS,
                "height" => PictureSize::HEIGHTS,
                _ => continue,
            };
            assert_eq!(
                [&schema["minimum"], &schema["maximum"]],
                [pixels.start(), pixels.end()]
            );
        }
    }

    #[test]
    fn fields_of_uploads_are_those_of_the_parser() {
        let schema =
            at("/paths/~1api~1v0.2~1elec/post/requestBody/content/application~1json/schema");
        let reading = [
            names::TIME,
            names::WATTS,
            names::WATTHOURS,
            names::STATE_OF_CHARGE,
        ];
        let shared = [names::SENSOR_ID, API_ID, API_KEY];
        let single = &schema["oneOf"][0]["properties"];
        assert_eq!(keys(single), reading.into_iter().chain(shared).collect());
        let batch = &schema["oneOf"][1]["properties"];
        assert_eq!(
            keys(batch),
            shared.into_iter().chain([names::READINGS]).collect()
        );
        let readings = &batch[names::READINGS]["items"]["properties"];
        assert_eq!(keys(readings), BTreeSet::from(reading));
    }

    #[test]
    fn units_of_influx_are_understood() {
        for name in choices("/query", "epoch") {
            assert!(name.parse::<Precision>().is_ok(), "{name}");
        }
    }

    /// The codes of a status, from the match in error.rs: `(S::BAD_REQUEST, "malformed_json")`.
    fn codes_of(status: StatusCode) -> BTreeSet<&'static str> {
        let source = include_str!("../wire/error.rs");
        let name = status
            .canonical_reason()
            .unwrap()
            .to_uppercase()
            .replace(' ', "_");
        let arms = source.split("(S::").skip(1);
        arms.filter_map(|arm| {
            arm.strip_prefix(&name)?
                .strip_prefix(", \"")?
                .split('"')
                .next()
        })
        .collect()
    }

    #[test]
    fn error_codes_are_those_of_the_answers() {
        let statuses = (400..600).filter_map(|status| StatusCode::from_u16(status).ok());
        let statuses = statuses.filter(|status| status.canonical_reason().is_some());
        let all: BTreeSet<&str> = statuses.flat_map(codes_of).collect();
        assert!(all.len() > 15, "{all:?}");
        let described = at("/components/schemas/Problem/properties/code/enum");
        assert_eq!(texts(&described).into_iter().collect::<BTreeSet<_>>(), all);
        let paths = at("/paths");
        let operations = paths
            .as_object()
            .unwrap()
            .values()
            .flat_map(|path| path.as_object().unwrap().values());
        for (status, response) in
            operations.flat_map(|operation| operation["responses"].as_object().unwrap())
        {
            let description = response["description"].as_str().unwrap();
            if let Some(codes) = description.strip_prefix("A problem with the code ") {
                let described: BTreeSet<&str> = codes.trim_end_matches('.').split(", ").collect();
                assert_eq!(described, codes_of(status.parse().unwrap()), "{status}");
            }
        }
    }

    #[test]
    fn what_is_referred_to_is_there() {
        let document = Description::new("", &["influx"]).document();
        let text = document.to_string();
        for reference in text.split("\"$ref\":\"#").skip(1) {
            let pointer = reference.split('"').next().unwrap();
            assert!(document.pointer(pointer).is_some(), "{pointer}");
        }
        assert_eq!(
            keys(&document["components"]["schemas"]),
            BTreeSet::from([
                "Problem",
                "bill",
                "bill_removal",
                "contract",
                "contract_removal",
                "contract_templates",
                "contracts",
                "correction",
                "day_lists",
                "days",
                "dismissal",
                "formats",
                "home_assistant",
                "house_share",
                "new_bill",
                "new_correction",
                "new_purchase",
                "new_tariff",
                "new_tenancy",
                "notice",
                "offers",
                "price_series",
                "prices",
                "purchases",
                "revocation",
                "sensor_statement",
                "tenancies",
                "utility_reading",
                "what_if",
            ])
        );
        assert!(document["paths"]["/elec"].is_object() && document["paths"]["/write"].is_null());
    }
}
