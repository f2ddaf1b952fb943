//! The parts of Emoncms' HTTP API that its uploaders and readers need: `input/post`, `input/bulk`;
//! `input/get`, which tells IoTaWatt where to resume; and feeds, as integrations of Home Assistant
//! read them. docs/EMONCMS.md describes it.
//!
//! An invalid request gets status 200 with `"success": false`, as in Emoncms: its clients check
//! nothing else.
//!
//! - `call`: parts shared by all handlers: settings, parameters, credentials, errors
//! - `upload`: the two addresses for inputs; `packed`: compressed bulks
//! - `inputs`: the newest inputs of a node
//! - `feeds`: the feeds of an account, and their newest values; `feed_data`: their values by time

mod call;
mod feed_data;
mod feeds;
mod inputs;
mod packed;
mod upload;

use actix_web::http::Method;
use actix_web::{Resource, web};

pub(crate) use self::call::Emoncms;
use crate::http::gate::resource::{either, for_programs, only, taking};
use crate::http::wire::BodySize;

/// The routes. They have no base path, because Emoncms' clients have no setting for one.
pub(crate) fn configure(cfg: &mut web::ServiceConfig) {
    let either = || either(Method::GET, Method::POST);
    let input = |resource: Resource| for_programs(resource.route(web::get().to(inputs::newest)));
    let posted = |resource: Resource| for_programs(resource.route(either().to(upload::post_one)));
    let bulk = |resource: Resource| for_programs(resource.route(either().to(upload::post_bulk)));
    cfg.service(input(only("GET", "/input/get")))
        .service(input(only("GET", "/input/get/{node}")))
        .service(posted(taking(
            "GET, POST",
            "/input/post",
            BodySize::Readings,
        )))
        .service(posted(taking(
            "GET, POST",
            "/input/post.json",
            BodySize::Readings,
        )))
        .service(posted(taking(
            "GET, POST",
            "/input/post/{node}",
            BodySize::Readings,
        )))
        .service(bulk(taking("GET, POST", "/input/bulk", BodySize::Readings)))
        .service(bulk(taking(
            "GET, POST",
            "/input/bulk.json",
            BodySize::Readings,
        )));
    let list = only("GET", "/feed/list.json").route(web::get().to(feeds::list));
    let whole = only("GET", "/feed/aget.json").route(web::get().to(feeds::whole));
    let field = only("GET", "/feed/get.json").route(web::get().to(feeds::field));
    let value = only("GET", "/feed/value.json").route(web::get().to(feeds::value));
    let timed = only("GET", "/feed/timevalue.json").route(web::get().to(feeds::timed_value));
    let data = only("GET", "/feed/data.json").route(web::get().to(feed_data::data));
    let uuid = only("GET", "/user/getuuid.json").route(web::get().to(feeds::uuid));
    cfg.service(for_programs(list))
        .service(for_programs(whole))
        .service(for_programs(field))
        .service(for_programs(value))
        .service(for_programs(timed))
        .service(for_programs(data))
        .service(for_programs(uuid));
}
