//! A request as the handlers of pages get it: after the guard.

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
use super::problem::FormProblem;
use super::session::Visitor;
use crate::domain::{AccountName, Rights};
use crate::http::gate::{AppState, PriceTurn};
use crate::http::wire::body::{in_background, parse};
use crate::http::wire::form::Form;
use crate::http::wire::params::param;
use crate::http::wire::{ApiError, Body, Reservation};
use crate::ledger::Author;
use crate::store::Store;
use crate::texts::Language;

/// The fields of a form that the guard has accepted.
pub(crate) struct FormFields {
    form: Form,
    _memory: Reservation,
    /// Of a large form: no other one is worked on while it is there.
    _turn: Option<PriceTurn>,
}

impl FormFields {
    /// The form in the body of a request. Large ones, whose field `large` alone may be, are decoded in the background.
    ///
    /// # Errors
    /// As [`Form::parse`] and [`Form::check_beside`].
    pub(crate) async fn read(
        body: Body,
        large: Option<&'static str>,
        turn: Option<PriceTurn>,
    ) -> Result<Self, ApiError> {
        let size = body.bytes.len();
        let decoding = move || {
            let form = Form::parse(&body.bytes)?;
            large.map_or(Ok(()), |large| form.check_beside(large))?;
            Ok(Self {
                form,
                _memory: body.reserved,
                _turn: turn,
            })
        };
        parse(size, decoding).await?
    }

    /// The value of the field `name`; empty if it is missing.
    ///
    /// # Errors
    /// [`ApiError`] if the field comes twice or is badly encoded.
    pub(crate) fn field(&self, name: &str) -> Result<String, ApiError> {
        Ok(self.form.get(name)?.unwrap_or_default().to_owned())
    }

    /// The same for a large field, which is gone afterwards.
    ///
    /// # Errors
    /// As [`Self::field`].
    pub(crate) fn take(&mut self, name: &str) -> Result<String, ApiError> {
        self.form.take(name)
    }
}

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
                // The guard has left it there.
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

    /// What a field shows: what was typed if the form is shown again, `otherwise` at first.
    ///
    /// # Errors
    /// As [`Self::field`].
    pub(crate) fn typed(&self, name: &str, otherwise: &str) -> Result<String, PageError> {
        if self.is_again() {
            return self.field(name);
        }
        Ok(otherwise.to_owned())
    }

    /// The choice in the field `name`, which offers known words only.
    ///
    /// # Errors
    /// As [`Self::field`]; [`PageError::Form`] if it is another word.
    pub(crate) fn choice<T>(&self, name: &'static str) -> Result<T, PageError>
    where
        T: FromStr<Err: Display>,
    {
        let choice = self.field(name)?.parse();
        choice.map_err(|error| PageError::refused(name, &format!("{name}: {error}")))
    }

    /// The values of all fields `name` of the form, such as of boxes that are checked.
    pub(crate) fn fields(&self, name: &str) -> Vec<String> {
        let extensions = self.request.extensions();
        let form = extensions.get::<FormFields>();
        form.map_or_else(Vec::new, |form| form.form.all(name))
    }

    /// The form itself, to be read elsewhere: after this it has no fields here.
    pub(crate) fn take_form(&self) -> Option<FormFields> {
        self.request.extensions_mut().remove::<FormFields>()
    }

    /// The value of the parameter `name` of the address, or of the field of a form that is shown again; empty if it is missing.
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

    /// Whether the visitor sees what belongs to this account, or to the service if that is `None`.
    pub(crate) fn is_shown(&self, account: Option<&AccountName>) -> bool {
        let rights = &self.visitor.rights;
        account.map_or(*rights == Rights::Everything, |account| {
            rights.show(account)
        })
    }

    /// What `look` finds in the store, in the background: one that may read whole histories of the account waits for its turn.
    ///
    /// # Errors
    /// [`PageError::Api`] if it is not its turn in time, or `look` panics.
    pub(crate) async fn report<T: Send + 'static>(
        &self,
        account: &AccountName,
        look: impl FnOnce(&Store) -> T + Send + 'static,
    ) -> Result<T, PageError> {
        let store = Arc::clone(&self.app.store);
        let turn = self.app.report_turn(account).await?;
        let looking = move || {
            let _turn = turn;
            look(&store)
        };
        Ok(in_background(looking).await?)
    }

    /// The same of what takes one look: it needs no turn.
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

    /// Who the visitor is, to those who read what was changed.
    pub(crate) fn author(&self) -> Author {
        self.visitor
            .owner()
            .map_or(Author::SettingsPage, Author::from)
    }

    /// The frame around a page for this visitor; without tabs if `tab` is `None`. With the mistake in the form, if that is shown again.
    pub(crate) fn layout(&self, tab: impl Into<Option<Tab>>) -> Layout {
        let tab = tab.into();
        // Only who is signed in sees a page with tabs.
        let bell = tab.map(|_| {
            let registry = self.app.store.registry();
            registry
                .notices()
                .filter(|(key, known)| known.is_shown() && self.is_shown(key.account.as_ref()))
                .count()
        });
        Layout {
            tab,
            bell: bell.unwrap_or(0),
            may: self.visitor.offered(),
            // To what a form has led to nobody can go again.
            has_languages: self.request.method() == Method::GET,
            csrf: self.visitor.form_token(),
            problem: self.request.extensions().get::<FormProblem>().cloned(),
            ..Layout::alone(&self.request)
        }
    }
}
