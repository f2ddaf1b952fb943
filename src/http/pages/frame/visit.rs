//! A request as the handlers of pages get it, after the guard.

use std::fmt::Display;
use std::future::{Ready, ready};
use std::str::FromStr;
use std::sync::Arc;

use actix_web::dev::Payload;
use actix_web::http::Method;
use actix_web::web::Data;
use actix_web::{FromRequest, HttpMessage as _, HttpRequest};

use super::error::PageError;
use super::language::language_of;
use super::layout::{Layout, Tab};
use super::posted_form::FormFields;
use super::problem::FormProblem;
use super::session::Visitor;
use super::typed_number::Numbers;
use crate::domain::{AccountName, Rights};
use crate::http::gate::AppState;
use crate::http::wire::ApiError;
use crate::http::wire::body::in_background;
use crate::http::wire::params::param;
use crate::ledger::Author;
use crate::store::Store;
use crate::texts::Language;

/// A request for a page that has passed its guard.
pub(crate) struct Visit {
    pub(crate) app: Data<AppState>,
    pub(crate) visitor: Visitor,
    pub(crate) request: HttpRequest,
}

impl FromRequest for Visit {
    type Error = PageError;
    type Future = Ready<Result<Self, PageError>>;

    fn from_request(request: &HttpRequest, _: &mut Payload) -> Self::Future {
        let visit = || {
            Some(Self {
                app: request.app_data::<Data<AppState>>()?.clone(),
                // Attached by the guard.
                visitor: request.extensions().get::<Visitor>()?.clone(),
                request: request.clone(),
            })
        };
        let missing = ApiError::Internal("a page has no guard");
        ready(visit().ok_or(missing.into()))
    }
}

impl Visit {
    /// The value of the field `name` of the form; empty if it is missing.
    ///
    /// # Errors
    /// [`PageError::Api`] if the field comes twice or is badly encoded.
    pub(crate) fn field(&self, name: &str) -> Result<String, PageError> {
        match self.request.extensions().get::<FormFields>() {
            Some(form) => Ok(form.field(name)?),
            None => Ok(String::new()),
        }
    }

    /// The same without spaces around it.
    ///
    /// # Errors
    /// As [`Self::field`].
    pub(crate) fn trimmed(&self, name: &str) -> Result<String, PageError> {
        Ok(self.field(name)?.trim().to_owned())
    }

    /// Whether a form is shown again, with its mistake.
    pub(crate) fn is_again(&self) -> bool {
        self.request.extensions().contains::<FormProblem>()
    }

    /// The choice in the field `name`, which offers only known words.
    ///
    /// # Errors
    /// As [`Self::field`]; [`PageError::Form`] for another word.
    pub(crate) fn choice<T>(&self, name: &'static str) -> Result<T, PageError>
    where
        T: FromStr<Err: Display>,
    {
        let choice = self.field(name)?.parse();
        choice.map_err(|error| PageError::refused(name, &format!("{name}: {error}")))
    }

    /// A reader of the numbers in the form.
    pub(crate) fn numbers(&self) -> Numbers {
        Numbers::new(self.language())
    }

    /// Asks these questions before the form is saved: it comes back with them and a box that
    /// answers all. The box counts for the same fields and the same questions alone.
    ///
    /// # Errors
    /// [`PageError::Form`] with the questions, unless there are none or the box is checked.
    pub(crate) fn ask(&self, questions: &[String]) -> Result<(), PageError> {
        match self.box_for(questions) {
            None => Ok(()),
            Some(sure) => Err(PageError::Form(FormProblem::question(
                questions.join(" "),
                sure,
            ))),
        }
    }

    /// The value of the box that answers these questions; `None` if there are none, or the box is
    /// checked.
    pub(crate) fn box_for(&self, questions: &[String]) -> Option<String> {
        if questions.is_empty() {
            return None;
        }
        let text = questions.join(" ");
        let sure = self.request.extensions().get::<FormFields>().map(|form| {
            // Neither the box itself, nor the token, which another session has another of, nor the
            // button.
            form.form.digest(&["sure", "csrf", "step"], &text)
        });
        let sure = sure.unwrap_or_default();
        let is_checked = self.field("sure").is_ok_and(|answer| answer == sure);
        (!is_checked).then_some(sure)
    }

    /// All fields of the form with their values.
    pub(crate) fn all_fields(&self) -> Vec<(String, String)> {
        let extensions = self.request.extensions();
        let form = extensions.get::<FormFields>();
        let fields = form.into_iter().flat_map(|form| form.form.fields());
        fields
            .map(|(name, value)| (name.to_owned(), value.to_owned()))
            .collect()
    }

    /// The values of all fields `name` of the form, such as the checked boxes.
    pub(crate) fn fields(&self, name: &str) -> Vec<String> {
        let extensions = self.request.extensions();
        let form = extensions.get::<FormFields>();
        form.map_or_else(Vec::new, |form| form.form.all(name))
    }

    /// Takes the form, to be read elsewhere: afterwards this visit has no fields.
    pub(crate) fn take_form(&self) -> Option<FormFields> {
        self.request.extensions_mut().remove::<FormFields>()
    }

    /// The value of the parameter `name` of the address, or of the field in a form that is shown
    /// again; empty if it is missing.
    ///
    /// # Errors
    /// [`PageError::Api`] if it comes twice or is badly encoded.
    pub(crate) fn param(&self, name: &str) -> Result<String, PageError> {
        match param(self.query(), name)? {
            Some(value) => Ok(value),
            None => self.field(name),
        }
    }

    /// The query string.
    pub(crate) fn query(&self) -> &str {
        self.request.query_string()
    }

    /// The language of the page.
    pub(crate) fn language(&self) -> &'static Language {
        language_of(&self.request)
    }

    /// Whether the visitor sees this account, or the service if it is `None`.
    pub(crate) fn is_shown(&self, account: Option<&AccountName>) -> bool {
        let rights = &self.visitor.rights;
        account.map_or(*rights == Rights::Everything, |account| {
            rights.show(account)
        })
    }

    /// Runs `look` on the store in the background, in a turn of the account, because it may read
    /// whole histories.
    ///
    /// # Errors
    /// [`PageError::Api`] if the turn does not come in time, or `look` panics.
    pub(crate) async fn report<T: Send + 'static>(
        &self,
        account: &AccountName,
        look: impl FnOnce(&Store) -> T + Send + 'static,
    ) -> Result<T, PageError> {
        Ok(self.app.report(account, look).await?)
    }

    /// Runs a quick `look` on the store, which needs no turn.
    ///
    /// # Errors
    /// [`PageError::Api`] if `look` panics.
    pub(crate) async fn look<T: Send + 'static>(
        &self,
        look: impl FnOnce(&Store) -> T + Send + 'static,
    ) -> Result<T, PageError> {
        let store = Arc::clone(&self.app.store);
        Ok(in_background(move || look(&store)).await?)
    }

    /// The visitor, as the author of a change.
    pub(crate) fn author(&self) -> Author {
        self.visitor
            .owner()
            .map_or(Author::SettingsPage, Author::from)
    }

    /// The layout around a page for this visitor; without tabs if `tab` is `None`. Includes the
    /// mistake in the form if it is shown again.
    pub(crate) fn layout(&self, tab: impl Into<Option<Tab>>) -> Layout {
        let tab = tab.into();
        // Only signed-in visitors see pages with tabs.
        let open_notices = tab.map(|_| {
            let registry = self.app.store.registry();
            registry
                .notices()
                .filter(|(key, known)| known.is_shown() && self.is_shown(key.account.as_ref()))
                .count()
        });
        Layout {
            tab,
            open_notices: open_notices.unwrap_or(0),
            may: self.visitor.offered(),
            // The result of a form has no address to return to.
            has_languages: self.request.method() == Method::GET,
            csrf: self.visitor.form_token(),
            problem: self.request.extensions().get::<FormProblem>().cloned(),
            again: self.is_again().then(|| self.request.clone()),
            ..Layout::alone(&self.request)
        }
    }
}
