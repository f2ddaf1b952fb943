//! `/openapi`: the API reference for people, generated from the OpenAPI document.

use actix_web::web::Data;
use askama::Template;
use serde_json::Value;

use crate::http::operate::openapi::Description;
use crate::http::pages::frame::response::ok;
use crate::http::pages::frame::{Layout, PageResult};

#[derive(Template)]
#[template(path = "openapi.html")]
struct ReferencePage<'a> {
    layout: Layout,
    version: &'a str,
    about: &'a str,
    operations: Vec<OperationView<'a>>,
}

/// A method of an address.
struct OperationView<'a> {
    method: String,
    path: &'a str,
    id: &'a str,
    summary: &'a str,
    description: &'a str,
    /// The accepted ways to sign in; `None` if the operation is public.
    sign_in: Option<String>,
    parameters: Vec<ParameterView<'a>>,
    example: Option<String>,
    /// The status, the description and the media types of each response.
    answers: Vec<(&'a str, &'a str, String)>,
}

struct ParameterView<'a> {
    name: &'a str,
    is_required: bool,
    description: &'a str,
    /// The allowed values or the range, if any.
    allowed: Option<String>,
}

/// `GET /openapi`
pub(crate) async fn show(description: Data<Description>) -> PageResult {
    let document = &description.document();
    Ok(ok(&ReferencePage {
        layout: Layout::default(),
        version: text(document, "/info/version"),
        about: text(document, "/info/description"),
        operations: members(document, "paths")
            .flat_map(|(path, methods)| {
                let methods = methods.as_object().into_iter().flatten();
                methods.map(move |(method, operation)| view(path, method, operation))
            })
            .collect(),
    }))
}

/// The text at a JSON pointer; empty if there is none.
fn text<'a>(value: &'a Value, pointer: &str) -> &'a str {
    let found = value.pointer(pointer).and_then(Value::as_str);
    found.unwrap_or_default()
}

/// The members of the object `name`; none if it is missing.
fn members<'a>(value: &'a Value, name: &str) -> impl Iterator<Item = (&'a str, &'a Value)> {
    let object = value.get(name).and_then(Value::as_object);
    object
        .into_iter()
        .flatten()
        .map(|(name, member)| (name.as_str(), member))
}

/// The items of the list `name`; none if it is missing.
fn items<'a>(value: &'a Value, name: &str) -> impl Iterator<Item = &'a Value> {
    let list = value.get(name).and_then(Value::as_array);
    list.into_iter().flatten()
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
            .map(|(status, answer)| {
                let media = members(answer, "content").map(|(media, _)| media);
                (status, text(answer, "/description"), joined(media))
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

/// An example of the request body.
fn example(operation: &Value) -> Option<String> {
    let bodies = operation.get("requestBody")?;
    let mut examples = members(bodies, "content").filter_map(|(_, body)| body.get("example"));
    match examples.next()? {
        Value::String(text) => Some(text.clone()),
        other => serde_json::to_string_pretty(other).ok(),
    }
}

/// The parameters of the address, and the fields that only a form has.
fn parameters(operation: &Value) -> Vec<ParameterView<'_>> {
    let mut all: Vec<_> = items(operation, "parameters")
        .map(|parameter| {
            let schema = parameter.get("schema").unwrap_or(&Value::Null);
            self::parameter(text(parameter, "/name"), parameter, schema)
        })
        .collect();
    let form = "/requestBody/content/application~1x-www-form-urlencoded/schema";
    let form = operation.pointer(form).unwrap_or(&Value::Null);
    // The document lists most fields of a form as parameters, too.
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
