//! Forms that are kept while their visitor signs in again. The sign-in page carries the fields, so
//! a restart loses nothing, and the service keeps nothing. Afterwards the form comes back, filled
//! in; nothing is saved before somebody looks at it.

use actix_web::HttpResponse;

use super::address::{local, query_string};
use super::error::PageError;
use super::posted_form::FormFields;
use super::visit::Visit;
use crate::http::wire::form::Form;

/// The field of a form that comes back.
const KEPT: &str = "kept";

/// The fields of a form without its secrets, and its address.
#[derive(Clone, Default)]
pub(crate) struct KeptForm {
    /// Empty for none.
    pub(crate) fields: String,
    pub(crate) address: String,
}

/// The page to sign in, with a form to be kept.
pub(crate) type SignInWith = fn(&Visit, KeptForm) -> HttpResponse;

/// Whether a field is a secret, or belongs to one session or one look at a form. Addresses of
/// webhooks are secrets, too.
fn is_left_out(name: &str) -> bool {
    const PARTS: [&str; 4] = ["password", "token", "webhook", "secret"];
    const NAMES: [&str; 5] = ["again", "current", "csrf", "sure", KEPT];
    PARTS.iter().any(|part| name.contains(part)) || NAMES.contains(&name)
}

impl FormFields {
    /// The form, to be kept at this address; `None` if nothing is in it but secrets.
    pub(super) fn kept(&self, address: &str) -> Option<KeptForm> {
        let fields = self.form.fields().filter(|(name, _)| !is_left_out(name));
        let fields: Vec<(&str, &str)> = fields.collect();
        (!fields.is_empty()).then(|| KeptForm {
            fields: query_string(&fields),
            address: address.to_owned(),
        })
    }

    /// Makes this a form that comes back.
    pub(super) fn keep(&mut self) {
        self.form.remove(is_left_out);
        self.form.set(KEPT, "yes");
    }

    /// Whether this is a form that comes back.
    pub(crate) fn is_kept(&self) -> bool {
        !self.form.all(KEPT).is_empty()
    }
}

impl KeptForm {
    /// The form that a sign-in page carried; without fields if there is none.
    ///
    /// # Errors
    /// As [`Visit::field`].
    pub(crate) fn carried(visit: &Visit) -> Result<Self, PageError> {
        let address = visit.field("kept-at")?;
        Ok(Self {
            fields: visit.field("kept-form")?,
            address: local(&address).to_owned(),
        })
    }

    /// Its fields, to send them again.
    ///
    /// # Errors
    /// [`PageError::Api`] if they are no form.
    pub(crate) fn pairs(&self) -> Result<Vec<(String, String)>, PageError> {
        if self.fields.is_empty() {
            return Ok(Vec::new());
        }
        let form = Form::parse(self.fields.trim_start_matches('?').as_bytes())?;
        let fields = form.fields().filter(|(name, _)| !is_left_out(name));
        let fields = fields.map(|(name, value)| (name.to_owned(), value.to_owned()));
        Ok(fields.collect())
    }
}
