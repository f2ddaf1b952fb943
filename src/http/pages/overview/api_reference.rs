//! `/openapi`: the API reference for people, generated from the OpenAPI document.

use std::collections::BTreeMap;
use std::sync::OnceLock;

use actix_web::web::Data;
use askama::Template;
use serde_json::Value;

use crate::http::operate::openapi::Description;
use crate::http::pages::frame::own_address::OwnAddress;
use crate::http::pages::frame::response::ok;
use crate::http::pages::frame::{Layout, PageResult, Visit};
use crate::http::wire::ApiError;
use crate::http::wire::body::in_background;
use crate::texts::Language;

#[derive(Template)]
#[template(path = "openapi.html")]
struct ReferencePage<'a> {
    layout: Layout,
    version: &'static str,
    /// The address at which clients in the network reach the API.
    base: String,
    text: &'a ReferenceText,
}

/// The content of the page in a language, the same for all visitors.
struct ReferenceText {
    about: String,
    /// As HTML.
    operations: String,
}

/// The texts in each language, made at the first request and kept: strangers may ask for them too,
/// and parsing the description takes long and more than a megabyte, of which the text is a tenth.
pub(crate) struct ReferenceTexts(Vec<(&'static str, OnceLock<ReferenceText>)>);

#[derive(Template)]
#[template(path = "openapi_operations.html")]
struct OperationsView<'a> {
    language: &'static Language,
    /// The name of each group, and its operations.
    groups: Vec<(String, Vec<OperationView<'a>>)>,
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

impl ReferenceTexts {
    pub(crate) fn new() -> Self {
        let none = |language: &'static Language| (language.tag(), OnceLock::new());
        Self(Language::all().map(none).collect())
    }

    /// The text in a language, if it has been made.
    fn known(&self, language: &Language) -> Option<&ReferenceText> {
        self.place(language)?.get()
    }

    fn place(&self, language: &Language) -> Option<&OnceLock<ReferenceText>> {
        let mut places = self.0.iter();
        let place = places.find(|(tag, _)| *tag == language.tag());
        place.map(|(_, text)| text)
    }
}

/// `GET /openapi`
pub(crate) async fn show(
    visit: Visit,
    description: Data<Description>,
    texts: Data<ReferenceTexts>,
) -> PageResult {
    let language = visit.language();
    if texts.known(language).is_none() {
        let texts = texts.clone();
        let making = move || {
            // Concurrent requests wait here.
            if let Some(text) = texts.place(language) {
                text.get_or_init(|| ReferenceText::new(&description, language));
            }
        };
        in_background(making).await?;
    }
    let text = texts.known(language);
    Ok(ok(&ReferencePage {
        layout: visit.layout(None),
        version: env!("CARGO_PKG_VERSION"),
        base: OwnAddress::of(&visit).url + &visit.app.base_path,
        text: text.ok_or(ApiError::Internal("a language has no API reference"))?,
    }))
}

impl ReferenceText {
    fn new(description: &Description, language: &'static Language) -> Self {
        let document = &description.document();
        let operations = members(document, "paths").flat_map(|(path, methods)| {
            let methods = methods.as_object().into_iter().flatten();
            methods.map(move |(method, operation)| {
                (text(operation, "/tags/0"), view(path, method, operation))
            })
        });
        let mut by_tag: BTreeMap<&str, Vec<OperationView<'_>>> = BTreeMap::new();
        for (tag, operation) in operations {
            by_tag.entry(tag).or_default().push(operation);
        }
        // In the order in which people need them.
        let groups = [
            ("readings", language.say("api-group-readings")),
            ("energy", language.say("api-group-energy")),
            ("money", language.say("api-group-money")),
            ("influx", language.say("api-group-influx")),
            ("emoncms", language.say("api-group-emoncms")),
            ("service", language.say("api-group-service")),
        ];
        let groups = groups.map(|(tag, name)| (name, by_tag.remove(tag).unwrap_or_default()));
        let groups = groups.into_iter().filter(|(_, all)| !all.is_empty());
        let view = OperationsView {
            language,
            groups: groups.collect(),
        };
        Self {
            about: text(document, "/info/description").to_owned(),
            // Writing to a string cannot fail.
            operations: view.render().unwrap_or_default(),
        }
    }
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

/// The parameters of the address, and the fields that only the form has.
fn parameters(operation: &Value) -> Vec<ParameterView<'_>> {
    let mut all: Vec<_> = items(operation, "parameters")
        .map(|parameter| {
            let schema = parameter.get("schema").unwrap_or(&Value::Null);
            self::parameter(text(parameter, "/name"), parameter, schema)
        })
        .collect();
    let form = "/requestBody/content/application~1x-www-form-urlencoded/schema";
    let form = operation.pointer(form).unwrap_or(&Value::Null);
    // The document also lists most fields of a form as parameters.
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
