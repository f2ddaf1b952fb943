//! `GET /openapi`: the description of the API, for people. All of it is read from the document that programs get.

use actix_web::HttpResponse;
use actix_web::http::StatusCode;
use actix_web::web::Data;
use askama::Template;
use serde_json::Value;

use crate::http::operate::openapi::Description;
use crate::http::pages::frame::assets::{Assets, assets};
use crate::http::pages::frame::error::PageError;
use crate::http::pages::frame::layout::render;

#[derive(Template)]
#[template(path = "openapi.html")]
struct DescriptionPage<'a> {
    assets: &'static Assets,
    version: &'a str,
    about: &'a str,
    operations: Vec<OperationView<'a>>,
}

/// What can be asked of an address by a method.
struct OperationView<'a> {
    method: String,
    path: &'a str,
    id: &'a str,
    summary: &'a str,
    description: &'a str,
    /// The ways to sign in, one of which is to be shown; none where nobody signs in.
    sign_in: Option<String>,
    parameters: Vec<ParameterView<'a>>,
    example: Option<String>,
    answers: Vec<AnswerView<'a>>,
}

struct ParameterView<'a> {
    name: &'a str,
    is_required: bool,
    description: &'a str,
    /// What it may be, where that is one of some values or in a range.
    allowed: Option<String>,
}

struct AnswerView<'a> {
    status: &'a str,
    description: &'a str,
    media: String,
}

/// `GET /openapi`
pub(crate) async fn show(description: Data<Description>) -> Result<HttpResponse, PageError> {
    let document = &description.document;
    let page = DescriptionPage {
        assets: assets(),
        version: text(document, "/info/version"),
        about: text(document, "/info/description"),
        operations: operations(document),
    };
    render(StatusCode::OK, &page)
}

/// The text at that place; nothing where there is none.
fn text<'a>(value: &'a Value, place: &str) -> &'a str {
    let found = value.pointer(place).and_then(Value::as_str);
    found.unwrap_or_default()
}

/// The members of an object by name, or of a list; none where it is neither.
fn members<'a>(value: &'a Value, name: &str) -> impl Iterator<Item = (&'a str, &'a Value)> {
    let object = value.get(name).and_then(Value::as_object);
    object
        .into_iter()
        .flatten()
        .map(|(name, member)| (name.as_str(), member))
}

fn items<'a>(value: &'a Value, name: &str) -> impl Iterator<Item = &'a Value> {
    let list = value.get(name).and_then(Value::as_array);
    list.into_iter().flatten()
}

fn operations(document: &Value) -> Vec<OperationView<'_>> {
    let paths = members(document, "paths");
    let all = paths.flat_map(|(path, methods)| {
        let methods = methods.as_object().into_iter().flatten();
        methods.map(move |(method, operation)| view(path, method, operation))
    });
    all.collect()
}

fn view<'a>(path: &'a str, method: &str, operation: &'a Value) -> OperationView<'a> {
    OperationView {
        method: method.to_uppercase(),
        path,
        id: text(operation, "/operationId"),
        summary: text(operation, "/summary"),
        description: text(operation, "/description"),
        sign_in: sign_in(operation),
        parameters: parameters(operation),
        example: example(operation),
        answers: members(operation, "responses")
            .map(|(status, answer)| AnswerView {
                status,
                description: text(answer, "/description"),
                media: joined(members(answer, "content").map(|(media, _)| media)),
            })
            .collect(),
    }
}

fn sign_in(operation: &Value) -> Option<String> {
    let ways = items(operation, "security").filter_map(|way| {
        let names = way.as_object()?.keys().map(String::as_str);
        let way = names.collect::<Vec<_>>().join(" and ");
        (!way.is_empty()).then_some(way)
    });
    let ways = ways.collect::<Vec<_>>().join(", or ");
    (!ways.is_empty()).then_some(ways)
}

/// The body of a request, as somebody may send it.
fn example(operation: &Value) -> Option<String> {
    let bodies = operation.get("requestBody")?;
    let mut examples = members(bodies, "content").filter_map(|(_, body)| body.get("example"));
    match examples.next()? {
        Value::String(text) => Some(text.clone()),
        other => serde_json::to_string_pretty(other).ok(),
    }
}

/// The parameters of the address, and those that only a form has.
fn parameters(operation: &Value) -> Vec<ParameterView<'_>> {
    let mut all: Vec<_> = items(operation, "parameters")
        .map(|parameter| {
            let schema = parameter.get("schema").unwrap_or(&Value::Null);
            self::parameter(text(parameter, "/name"), parameter, schema)
        })
        .collect();
    let form = "/requestBody/content/application~1x-www-form-urlencoded/schema";
    let form = operation.pointer(form).unwrap_or(&Value::Null);
    for (name, field) in members(form, "properties") {
        if !all.iter().any(|known| known.name == name) {
            all.push(parameter(name, field, field));
        }
    }
    all
}

fn parameter<'a>(name: &'a str, parameter: &'a Value, schema: &'a Value) -> ParameterView<'a> {
    let values = joined(items(schema, "enum").filter_map(Value::as_str));
    let range = || {
        let (least, most) = (schema.get("minimum")?, schema.get("maximum")?);
        Some(format!("{least} to {most}"))
    };
    ParameterView {
        name,
        is_required: parameter.get("required") == Some(&Value::Bool(true)),
        description: text(parameter, "/description"),
        allowed: Some(values)
            .filter(|values| !values.is_empty())
            .or_else(range),
    }
}

fn joined<'a>(texts: impl Iterator<Item = &'a str>) -> String {
    texts.collect::<Vec<_>>().join(", ")
}
