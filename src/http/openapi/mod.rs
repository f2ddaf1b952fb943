//! `GET /openapi.json`: the API, described by OpenAPI 3.1.
//!
//! What each route does is described beside what does it, in the words of `parts.rs`; here is which there are. A test holds this
//! against the route table.

pub(super) mod parts;

use actix_web::{HttpResponse, web};
use utoipa::openapi::path::{HttpMethod, Operation};
use utoipa::openapi::security::{ApiKey, ApiKeyValue, HttpAuthScheme, HttpBuilder, SecurityScheme};
use utoipa::openapi::{
    Components, ComponentsBuilder, Info, InfoBuilder, OpenApi, OpenApiBuilder, Paths,
};

use self::parts::{BASIC, BY_ID, BY_KEY, TOKEN, answer, operation, problem_schema};
use super::elec::names::{API_ID, API_KEY};
use super::error::ApiError;
use super::{AppState, chart, elec, health, metrics, sensors};

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

/// The whole description, for a service whose API is below `base_path`.
pub(super) fn document(base_path: &str) -> OpenApi {
    let mut paths = Paths::new();
    for (path, method, operation) in api() {
        paths.add_path_operation(format!("{base_path}{path}"), vec![method], operation);
    }
    for (path, method, operation) in root() {
        paths.add_path_operation(path, vec![method], operation);
    }
    OpenApiBuilder::new()
        .info(info())
        .paths(paths)
        .components(Some(components()))
        .build()
}

fn info() -> Info {
    InfoBuilder::new()
        .title("wattkeeper")
        .version(env!("CARGO_PKG_VERSION"))
        .description(Some(
            "Energy readings of a house: uploads and downloads by the \"elec\" API v0.2, and how the service is.",
        ))
        .build()
}

fn components() -> Components {
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
        .build()
}

/// Tells it.
pub(super) async fn tell(app: web::Data<AppState>) -> Result<HttpResponse, ApiError> {
    let json = document(&app.base_path).to_json();
    let json = json.map_err(|_| ApiError::Internal("the description could not be written"))?;
    Ok(HttpResponse::Ok()
        .content_type("application/json")
        .body(json))
}

fn describe() -> Operation {
    operation(
        "describe",
        "service",
        "This description",
        "The API by OpenAPI 3.1.",
    )
    .response(
        "200",
        answer("The description.", "application/json", parts::any_object()),
    )
    .build()
}
