//! Emoncms' API in OpenAPI's words.

use serde_json::json;
use utoipa::openapi::path::{Operation, OperationBuilder};
use utoipa::openapi::request_body::RequestBodyBuilder;
use utoipa::openapi::schema::{AnyOfBuilder, Schema};
use utoipa::openapi::security::{ApiKey, ApiKeyValue, SecurityRequirement, SecurityScheme};
use utoipa::openapi::{
    ComponentsBuilder, ContentBuilder, Object, ObjectBuilder, RefOr, Required, Response,
    ResponseBuilder,
};

use crate::http::operate::openapi::parts::{
    JSON, answer, as_elsewhere, choice, content, described, number, object, operation, or_null,
    part, query, refusals, text, whole_number, with_example,
};
use crate::http::protocols::emoncms::TEXT;

/// The way to sign in that only Emoncms' clients have; in a form it is a parameter like others.
const KEY: &str = "apikey";

const GROUP: &str = "emoncms";
const FORM: &str = "application/x-www-form-urlencoded";

/// Where a request names its node.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Node {
    /// In a parameter.
    InQuery,
    /// In the address.
    InPath,
}

/// A parameter of the address or of a form: its name and what it is.
type Input = (&'static str, &'static str, Object);

/// What the descriptions refer to.
pub(crate) fn describe_parts(components: ComponentsBuilder) -> ComponentsBuilder {
    let key = ApiKeyValue::with_description(
        KEY,
        "The api_id and the api_key with a colon between them, or an api_key alone.",
    );
    components.security_scheme(KEY, SecurityScheme::ApiKey(ApiKey::Query(key)))
}

/// `/input/get`
pub(crate) fn describe_get(id: &str, node: Node) -> Operation {
    let input = object()
        .property("time", described(whole_number(), "In seconds since 1970."))
        .property("value", or_null(number()))
        .property("processList", text())
        .required("time")
        .required("value")
        .required("processList");
    let inputs = object().additional_properties(Some(input));
    let either = AnyOfBuilder::new()
        .item(inputs.build())
        .item(choice(["Node does not exist"]));
    let response = ResponseBuilder::new()
        .description("The inputs by name, so far as they are readings and the credentials' account has them; or, as text, why there are none.")
        .content(JSON, content(either))
        .content(TEXT, content(failure()))
        .build();
    let operation = signed_in(operation(
        id,
        GROUP,
        "Where an uploader goes on",
        "The newest value of each input of a node, with its time; no value for credentials that are for uploads only.",
    ));
    let operation = match node {
        Node::InPath => operation.parameter(part(NODE, NODE_IS, node_name())),
        Node::InQuery => operation.parameter(query(NODE, NODE_IS, node_name())),
    };
    refusals(
        operation.response("200", response),
        &[401, 429, 500, 503],
        TEXT,
        &refusal(),
    )
}

/// `GET /input/post`
pub(crate) fn describe_post(id: &str, node: Node) -> Operation {
    let operation = signed_in(posting(id, node));
    stored(with_query(operation, inputs_of(node)))
}

/// `POST /input/post`
pub(crate) fn describe_post_by_form(id: &str, node: Node) -> Operation {
    stored(with_form(signed_in(posting(id, node)), inputs_of(node)))
}

/// `GET /input/bulk`
pub(crate) fn describe_bulk(id: &str) -> Operation {
    stored(with_query(signed_in(posting_bulk(id)), bulk_inputs()))
}

/// `POST /input/bulk`
pub(crate) fn describe_bulk_by_form(id: &str) -> Operation {
    stored(with_form(signed_in(posting_bulk(id)), bulk_inputs()))
}

const NODE: &str = "node";
const NODE_IS: &str = "The node: its name, or its number.";

fn node_name() -> Object {
    with_example(
        ObjectBuilder::from(text()).min_length(Some(1)).build(),
        "house",
    )
}

fn posting(id: &str, node: Node) -> OperationBuilder {
    let operation = operation(
        id,
        GROUP,
        "Store the inputs of a node",
        "Answered once the readings are on stable storage. Which inputs are readings is in the settings. One of fulljson, json, csv and data is needed.",
    );
    match node {
        Node::InPath => operation.parameter(part(NODE, NODE_IS, node_name())),
        Node::InQuery => operation,
    }
}

fn posting_bulk(id: &str) -> OperationBuilder {
    operation(
        id,
        GROUP,
        "Store the inputs of several nodes and times",
        "Answered once the readings are on stable storage. Which inputs are readings is in the settings.",
    )
}

fn inputs_of(node: Node) -> Vec<Input> {
    let example = |example: &str| with_example(text(), example);
    let mut inputs = vec![
        (
            "fulljson",
            "The inputs as a JSON object; it is answered in JSON, too.",
            example("{\"power\":234,\"energy\":1010.2}"),
        ),
        (
            "json",
            "The inputs by name, in quotes or not.",
            example("{power:234,energy:1010.2}"),
        ),
        ("csv", "Values, named or not.", example("234,1010.2")),
        ("data", "As json.", example("{power:234}")),
        (
            "time",
            "When they were measured, in seconds since 1970; now, where it is left out.",
            example("1767607200"),
        ),
    ];
    if node == Node::InQuery {
        inputs.push((NODE, NODE_IS, node_name()));
    }
    inputs
}

fn bulk_inputs() -> Vec<Input> {
    let example = |example: &str| with_example(text(), example);
    vec![
        (
            "data",
            "A JSON list of lists: a time, a node, and its inputs.",
            example("[[0,\"house\",{\"power\":234}],[10,\"house\",{\"power\":235}]]"),
        ),
        (
            "time",
            "What the times in it count from, in seconds since 1970.",
            example("1767607200"),
        ),
        (
            "sentat",
            "What the sender's clock says, in the unit of the times.",
            example("10"),
        ),
        ("offset", "The same.", example("10")),
    ]
}

fn with_query(operation: OperationBuilder, inputs: Vec<Input>) -> OperationBuilder {
    inputs
        .into_iter()
        .fold(operation, |operation, (name, what, schema)| {
            operation.parameter(query(name, what, schema))
        })
}

/// The parameters in a form, and the key too; those of the address are understood as well.
fn with_form(operation: OperationBuilder, inputs: Vec<Input>) -> OperationBuilder {
    let form = object().property(
        KEY,
        described(text(), "The credentials, where no header has them."),
    );
    let form = inputs.into_iter().fold(form, |form, (name, what, schema)| {
        form.property(name, described(schema, what))
    });
    let content = ContentBuilder::new().schema(Some(form.build()));
    let body = RequestBodyBuilder::new()
        .description(Some(
            "The parameters; they may stand in the address as well. It may be packed by gzip.",
        ))
        .required(Some(Required::False))
        .content(FORM, content.build());
    operation
        .security(SecurityRequirement::default())
        .request_body(Some(body.build()))
}

/// The operation with the answers of what stores.
fn stored(operation: OperationBuilder) -> Operation {
    let said = described(
        text(),
        "ok or {\"success\": true}; or, where something is wrong, {\"message\":\"why\",\"success\":false}.",
    );
    let response: Response = answer(
        "The readings are stored, or were not understood: its text says which.",
        TEXT,
        said,
    );
    refusals(
        operation.response("200", response),
        &[401, 403, 408, 413, 415, 429, 500, 503],
        TEXT,
        &refusal(),
    )
}

/// Signing in by `apikey`, or by a header.
fn signed_in(operation: OperationBuilder) -> OperationBuilder {
    let none: [&str; 0] = [];
    as_elsewhere(operation, SecurityRequirement::new(KEY, none))
}

/// What an error is, in the text that it comes as.
fn failure() -> Object {
    with_example(
        text(),
        json!("{\"message\":\"Request contains no node\",\"success\":false}"),
    )
}

fn refusal() -> RefOr<Schema> {
    described(
        text(),
        "Invalid API key, or {\"message\":\"why\",\"success\":false}.",
    )
    .into()
}
