//! `GET /openapi.json`: the API, described by OpenAPI 3.1.
//!
//! What each route does is described beside what does it, in the words of `parts.rs`; here is which there are. A test holds this
//! against the route table.

pub(crate) mod parts;

use actix_web::{HttpResponse, web};
use serde_json::Value;
use utoipa::openapi::path::{HttpMethod, Operation};
use utoipa::openapi::security::{ApiKey, ApiKeyValue, HttpAuthScheme, HttpBuilder, SecurityScheme};
use utoipa::openapi::{ComponentsBuilder, Info, InfoBuilder, OpenApi, OpenApiBuilder, Paths};

use self::parts::{BASIC, BEARER, BY_ID, BY_KEY, JSON, TOKEN, answer, operation, problem_schema};
use crate::http::gate::auth::{API_ID, API_KEY};
use crate::http::gate::resource::only;
use crate::http::operate::{health, metrics};
use crate::http::protocols::elec::sensors;
use crate::http::protocols::{chart, elec, emoncms, influx};

/// What is asked of an address by a method.
type Described = (&'static str, HttpMethod, Operation);

/// Below the base path of the API.
fn api() -> Vec<Described> {
    vec![
        ("/elec", HttpMethod::Post, elec::describe_upload()),
        ("/elec", HttpMethod::Get, elec::describe_download()),
        ("/sensors", HttpMethod::Get, sensors::describe()),
    ]
}

/// At the root of the service.
fn root() -> Vec<Described> {
    vec![
        ("/chart.svg", HttpMethod::Get, chart::describe()),
        (
            health::LIVE,
            HttpMethod::Get,
            health::describe_live("is_healthy"),
        ),
        (
            health::LIVE,
            HttpMethod::Head,
            health::describe_live("is_healthy_by_head"),
        ),
        (
            health::READY,
            HttpMethod::Get,
            health::describe_ready("is_ready"),
        ),
        (
            health::READY,
            HttpMethod::Head,
            health::describe_ready("is_ready_by_head"),
        ),
        ("/metrics", HttpMethod::Get, metrics::describe()),
        ("/openapi.json", HttpMethod::Get, describe()),
    ]
}

/// InfluxDB's protocol.
fn of_influx() -> Vec<Described> {
    let (get, post) = (HttpMethod::Get, HttpMethod::Post);
    vec![
        ("/ping", HttpMethod::Get, influx::describe_ping("ping")),
        (
            "/ping",
            HttpMethod::Head,
            influx::describe_ping("ping_by_head"),
        ),
        ("/write", HttpMethod::Post, influx::describe_write_v1()),
        ("/query", get, influx::describe_query_v1()),
        ("/query", post, influx::describe_query_v1_by_form()),
        (
            "/api/v2/write",
            HttpMethod::Post,
            influx::describe_write_v2(),
        ),
        (
            "/api/v2/query",
            HttpMethod::Post,
            influx::describe_query_v2(),
        ),
    ]
}

/// Emoncms' protocol.
fn of_emoncms() -> Vec<Described> {
    let mut all = vec![
        (
            "/input/get",
            HttpMethod::Get,
            emoncms::describe_get("inputs", emoncms::Node::InQuery),
        ),
        (
            "/input/get/{node}",
            HttpMethod::Get,
            emoncms::describe_get("inputs_of_node", emoncms::Node::InPath),
        ),
    ];
    for (path, id, node) in [
        ("/input/post", "post_inputs", emoncms::Node::InQuery),
        (
            "/input/post.json",
            "post_inputs_json",
            emoncms::Node::InQuery,
        ),
        (
            "/input/post/{node}",
            "post_inputs_of_node",
            emoncms::Node::InPath,
        ),
    ] {
        let by_query = emoncms::describe_post(&format!("{id}_by_query"), node);
        all.push((path, HttpMethod::Get, by_query));
        let by_form = emoncms::describe_post_by_form(id, node);
        all.push((path, HttpMethod::Post, by_form));
    }
    for (path, id) in [
        ("/input/bulk", "post_bulk"),
        ("/input/bulk.json", "post_bulk_json"),
    ] {
        let by_query = emoncms::describe_bulk(&format!("{id}_by_query"));
        all.push((path, HttpMethod::Get, by_query));
        all.push((path, HttpMethod::Post, emoncms::describe_bulk_by_form(id)));
    }
    all
}

/// The description of what this service answers.
pub(crate) struct Description {
    pub(crate) document: Value,
}

impl Description {
    /// The description of a service whose API is below `base_path`, without the routes of the protocols that are off.
    pub(crate) fn new(base_path: &str, has_influx: bool, has_emoncms: bool) -> Self {
        let document = document(base_path, has_influx, has_emoncms);
        Self {
            document: serde_json::to_value(document).unwrap_or_default(),
        }
    }
}

/// The whole description of what a service answers.
fn document(base_path: &str, has_influx: bool, has_emoncms: bool) -> OpenApi {
    let mut paths = Paths::new();
    for (path, method, operation) in api() {
        paths.add_path_operation(format!("{base_path}{path}"), vec![method], operation);
    }
    let mut components = components();
    let mut at_root = root();
    if has_influx {
        at_root.extend(of_influx());
        components = influx::describe_parts(components);
    }
    if has_emoncms {
        at_root.extend(of_emoncms());
        components = emoncms::describe_parts(components);
    }
    for (path, method, operation) in at_root {
        paths.add_path_operation(path, vec![method], operation);
    }
    OpenApiBuilder::new()
        .info(info())
        .paths(paths)
        .components(Some(components.build()))
        .build()
}

fn info() -> Info {
    InfoBuilder::new()
        .title("wattkeeper")
        .version(env!("CARGO_PKG_VERSION"))
        .description(Some(
            "Energy readings of a house: uploads and downloads by the \"elec\" API v0.2, uploads as to InfluxDB or Emoncms, and how the service is.",
        ))
        .build()
}

fn components() -> ComponentsBuilder {
    let by_query = |name: &str| SecurityScheme::ApiKey(ApiKey::Query(ApiKeyValue::new(name)));
    let by_header = |scheme: HttpAuthScheme, description: &str| {
        let http = HttpBuilder::new().scheme(scheme);
        SecurityScheme::Http(http.description(Some(description)).build())
    };
    let basic = "The api_id as user and the api_key as password.";
    ComponentsBuilder::new()
        .schema("Problem", problem_schema())
        .security_scheme(BASIC, by_header(HttpAuthScheme::Basic, basic))
        .security_scheme(BY_ID, by_query(API_ID))
        .security_scheme(BY_KEY, by_query(API_KEY))
        .security_scheme(
            TOKEN,
            by_header(
                HttpAuthScheme::Bearer,
                "The token of the metrics, where one is set.",
            ),
        )
        .security_scheme(
            BEARER,
            by_header(
                HttpAuthScheme::Bearer,
                "The api_id and the api_key with a colon between them, or an api_key alone.",
            ),
        )
}

/// The route.
pub(crate) fn configure(cfg: &mut web::ServiceConfig) {
    let described = only("GET", "/openapi.json");
    cfg.service(described.route(web::get().to(show)));
}

async fn show(description: web::Data<Description>) -> HttpResponse {
    HttpResponse::Ok().json(&description.document)
}

fn describe() -> Operation {
    operation(
        "describe",
        "service",
        "This description",
        "The API by OpenAPI 3.1.",
    )
    .response("200", answer("The description.", JSON, parts::any_object()))
    .build()
}
