//! Parts shared by all pages. Nothing here knows a particular page.
//!
//! - `address`, `own_address`, `figures`: addresses, also those of this service, numbers, and times
//!   as pages show them
//! - `assets`, `headers`: static files, security headers
//! - `response`, `error`, `problem`: responses, errors as pages, mistakes in forms; `as_asked`:
//!   errors as the client reads them
//! - `typed_number`, `spreadsheet`: numbers that people type, tables for their spreadsheets
//! - `access`, `session`, `guard`, `visit`: access rights of pages, and the request as handlers get
//!   it
//! - `posted_form`, `form_field`: fields of forms, as posted; each declared once
//! - `at_grid`: the question about a further sensor at the grid
//! - `kept`, `once`, `seen`: forms that come back after signing in; forms that are sent twice; saves
//!   of outdated values
//! - `account_scope`, `range`: the account and the range of time that a page shows
//! - `layout`, `language`, `language_choice`, `admin_call`: the layout of a page and its language;
//!   requests shared with the commands

pub(crate) mod access;
pub(crate) mod account_scope;
pub(crate) mod address;
pub(crate) mod admin_call;
pub(crate) mod as_asked;
pub(crate) mod assets;
pub(crate) mod at_grid;
pub(crate) mod error;
pub(crate) mod figures;
pub(crate) mod form_field;
pub(crate) mod guard;
pub(crate) mod headers;
pub(crate) mod kept;
pub(crate) mod language;
pub(crate) mod language_choice;
pub(crate) mod layout;
pub(crate) mod once;
pub(crate) mod own_address;
pub(crate) mod posted_form;
pub(crate) mod problem;
pub(crate) mod range;
pub(crate) mod response;
pub(crate) mod seen;
pub(crate) mod session;
pub(crate) mod spreadsheet;
pub(crate) mod typed_number;
pub(crate) mod visit;

pub(crate) use self::account_scope::AccountScope;
pub(crate) use self::error::{PageError, PageResult};
pub(crate) use self::figures::PercentChange;
pub(crate) use self::form_field::{FormField, ShownFields};
pub(crate) use self::layout::{Layout, Tab};
pub(crate) use self::problem::FormProblem;
pub(crate) use self::visit::Visit;
