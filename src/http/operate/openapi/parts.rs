//! The words that routes are described in.

use serde_json::Value;
use utoipa::openapi::path::{
    Operation, OperationBuilder, Parameter, ParameterBuilder, ParameterIn,
};
use utoipa::openapi::schema::{Schema, SchemaType, Type};
use utoipa::openapi::security::SecurityRequirement;
use utoipa::openapi::{
    ArrayBuilder, Content, ContentBuilder, HeaderBuilder, Object, ObjectBuilder, Ref, RefOr,
    Required, Response, ResponseBuilder,
};

use crate::http::wire::error::CODES;

/// The ways to sign in, by the names that they have in the description.
pub(crate) const BASIC: &str = "basic";
pub(crate) const BY_ID: &str = "id";
pub(crate) const BY_KEY: &str = "key";
pub(crate) const TOKEN: &str = "token";
pub(crate) const BEARER: &str = "bearer";

/// The media type of JSON.
pub(crate) const JSON: &str = "application/json";

/// The media type of problems.
const PROBLEM: &str = "application/problem+json";

/// What a route does: its name, the group it is in, a line, and more of it.
pub(crate) fn operation(
    id: &str,
    group: &str,
    summary: &str,
    description: &str,
) -> OperationBuilder {
    OperationBuilder::new()
        .operation_id(Some(id))
        .tag(group)
        .summary(Some(summary))
        .description(Some(description))
}

/// Signing in by api id and key, in a header or in the query.
pub(crate) fn by_key(operation: OperationBuilder) -> OperationBuilder {
    let none: [&str; 0] = [];
    operation
        .security(SecurityRequirement::new(BASIC, none))
        .security(SecurityRequirement::new(BY_ID, none).add(BY_KEY, none))
}

/// Signing in by a header, or not at all: the body may say it, or nothing is asked for.
pub(crate) fn by_header(operation: OperationBuilder, scheme: &str) -> OperationBuilder {
    let none: [&str; 0] = [];
    operation
        .security(SecurityRequirement::new(scheme, none))
        .security(SecurityRequirement::default())
}

/// Signing in as clients of other systems do: by `first`, which their own are, or by a header.
pub(crate) fn as_elsewhere(
    operation: OperationBuilder,
    first: SecurityRequirement,
) -> OperationBuilder {
    let none: [&str; 0] = [];
    operation
        .security(first)
        .security(SecurityRequirement::new(BEARER, none))
        .security(SecurityRequirement::new(BASIC, none))
}

/// A parameter of the query, which may be left out.
pub(crate) fn query(name: &str, description: &str, schema: impl Into<RefOr<Schema>>) -> Parameter {
    parameter(
        name,
        ParameterIn::Query,
        description,
        schema,
        Required::False,
    )
}

/// A parameter of the query that must be there.
pub(crate) fn needed(name: &str, description: &str, schema: impl Into<RefOr<Schema>>) -> Parameter {
    parameter(
        name,
        ParameterIn::Query,
        description,
        schema,
        Required::True,
    )
}

/// A part of the path.
pub(crate) fn part(name: &str, description: &str, schema: impl Into<RefOr<Schema>>) -> Parameter {
    parameter(name, ParameterIn::Path, description, schema, Required::True)
}

fn parameter(
    name: &str,
    place: ParameterIn,
    description: &str,
    schema: impl Into<RefOr<Schema>>,
    required: Required,
) -> Parameter {
    ParameterBuilder::new()
        .name(name)
        .parameter_in(place)
        .required(required)
        .description(Some(description))
        .schema(Some(schema))
        .build()
}

/// An answer of one media type.
pub(crate) fn answer(description: &str, media: &str, schema: impl Into<RefOr<Schema>>) -> Response {
    ResponseBuilder::new()
        .description(description)
        .content(media, content(schema))
        .build()
}

/// The operation with the errors of these statuses.
pub(crate) fn problems(operation: OperationBuilder, statuses: &[u16]) -> Operation {
    let known = CODES.iter().filter(|(status, _)| statuses.contains(status));
    known
        .fold(operation, |operation, (status, codes)| {
            let codes = codes.join(", ");
            let response = ResponseBuilder::new()
                .description(format!("A problem with the code {codes}."))
                .content(PROBLEM, content(problem()));
            operation.response(status.to_string(), with_header(*status, response))
        })
        .build()
}

/// The operation with the errors of these statuses, in the words of another system's protocol. What throttles an address stands
/// in front of all protocols, and knows of problems only.
pub(crate) fn refusals(
    operation: OperationBuilder,
    statuses: &[u16],
    media: &str,
    schema: &RefOr<Schema>,
) -> Operation {
    statuses
        .iter()
        .fold(operation, |operation, &status| {
            let response = ResponseBuilder::new()
                .description(meaning(status))
                .content(media, content(schema.clone()));
            let response = match status {
                429 => response.content(PROBLEM, content(problem())),
                _ => response,
            };
            operation.response(status.to_string(), with_header(status, response))
        })
        .build()
}

/// What a status says where its protocol has no codes.
const fn meaning(status: u16) -> &'static str {
    match status {
        400 => "It cannot be understood, or not all of it: why.",
        401 => "The credentials are missing or wrong.",
        403 => "The credentials do not allow it.",
        408 => "The body was not complete in time.",
        413 => "The body is too large.",
        415 => "The body is packed in an unknown way.",
        429 => "Too many wrong credentials; or, as a problem, too many requests of an address.",
        503 => "Nothing can be stored or looked up now: to be sent again later.",
        _ => "Something broke.",
    }
}

/// The answer of that status with the header that goes with it.
fn with_header(status: u16, response: ResponseBuilder) -> ResponseBuilder {
    let (name, what) = match status {
        401 => ("WWW-Authenticate", "How to sign in."),
        429 | 503 => ("Retry-After", "After how many seconds to try again."),
        _ => return response,
    };
    let header = HeaderBuilder::new().schema(Some(text()));
    response.header(name, header.description(Some(what)).build())
}

fn problem() -> Ref {
    Ref::from_schema_name("Problem")
}

/// What a body of one media type is.
pub(crate) fn content(schema: impl Into<RefOr<Schema>>) -> Content {
    ContentBuilder::new().schema(Some(schema)).build()
}

/// What every error is.
pub(crate) fn problem_schema() -> Object {
    let codes = CODES.iter().flat_map(|(_, codes)| *codes).copied();
    object()
        .property("type", text())
        .property("title", text())
        .property("status", whole_number())
        .property(
            "detail",
            described(text(), "What is wrong, where, and what was expected."),
        )
        .property("code", choice(codes))
        .required("type")
        .required("title")
        .required("status")
        .required("detail")
        .required("code")
        .description(Some("Problem details, RFC 9457."))
        .build()
}

/// An object of which only what is said is known.
pub(crate) fn object() -> ObjectBuilder {
    ObjectBuilder::new().schema_type(Type::Object)
}

/// An object that this says nothing of.
pub(crate) fn any_object() -> Object {
    object().build()
}

pub(crate) fn text() -> Object {
    Object::with_type(Type::String)
}

pub(crate) fn number() -> Object {
    Object::with_type(Type::Number)
}

pub(crate) fn whole_number() -> Object {
    Object::with_type(Type::Integer)
}

pub(crate) fn truth() -> Object {
    Object::with_type(Type::Boolean)
}

/// Of that kind, or null.
pub(crate) fn or_null(mut schema: Object) -> Object {
    if let SchemaType::Type(kind) = &schema.schema_type {
        schema.schema_type = SchemaType::Array(vec![kind.clone(), Type::Null]);
    }
    schema
}

/// One of these texts.
pub(crate) fn choice<'a>(values: impl IntoIterator<Item = &'a str>) -> Object {
    ObjectBuilder::new()
        .schema_type(Type::String)
        .enum_values(Some(values))
        .build()
}

pub(crate) fn many(of: impl Into<RefOr<Schema>>) -> ArrayBuilder {
    ArrayBuilder::new().items(of.into())
}

/// The schema with what it means.
pub(crate) fn described(mut schema: Object, description: &str) -> Object {
    schema.description = Some(description.to_owned());
    schema
}

/// The schema with a value that a reader can try.
pub(crate) fn with_example(mut schema: Object, example: impl Into<Value>) -> Object {
    schema.examples = vec![example.into()];
    schema
}

/// A time as answers have it.
pub(crate) fn time() -> Object {
    let pattern = r"^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}\.\d{3}Z$";
    ObjectBuilder::new()
        .schema_type(Type::String)
        .pattern(Some(pattern))
        .build()
}
