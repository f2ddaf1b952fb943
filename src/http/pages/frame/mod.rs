//! What all pages share. Nothing here knows a particular page.
//!
//! - `address`, `figures`: addresses, numbers, and times as pages show them
//! - `assets`, `headers`: static files, security headers
//! - `response`, `error`, `problem`: responses, errors as pages, mistakes in forms
//! - `session`, `guard`, `visit`: who may see a page, and the request as handlers get it
//! - `layout`, `admin_call`: the frame around a page; the requests that the commands use, too

pub(crate) mod address;
pub(crate) mod admin_call;
pub(crate) mod assets;
pub(crate) mod error;
pub(crate) mod figures;
pub(crate) mod guard;
pub(crate) mod headers;
pub(crate) mod layout;
pub(crate) mod problem;
pub(crate) mod response;
pub(crate) mod session;
pub(crate) mod visit;

pub(crate) use self::error::{PageError, PageResult};
pub(crate) use self::figures::PercentChange;
pub(crate) use self::layout::{Layout, Tab};
pub(crate) use self::problem::FormProblem;
pub(crate) use self::visit::Visit;
