//! A form is saved once. Browsers send it again after a double click, a lost answer or a restart;
//! then it leads to the page that it led to before.
//!
//! What a session saved last is in its record, so that it outlives a restart. Only the last form
//! counts: after another one, such as one that removes what this one added, sending it again is a
//! new wish.

use std::collections::{HashMap, VecDeque};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use actix_web::body::{BoxBody, to_bytes};
use actix_web::dev::{ServiceRequest, ServiceResponse};
use actix_web::http::StatusCode;
use actix_web::http::header::{CONTENT_TYPE, HeaderValue, LOCATION};
use actix_web::web::{Bytes, Data};
use actix_web::{Error, HttpMessage as _, HttpResponse};
use sha2::{Digest as _, Sha256};
use tokio::sync::{Mutex as AsyncMutex, OwnedMutexGuard};
use tokio::time::timeout;

use super::address::page_of;
use super::posted_form::FormFields;
use super::response::see_other;
use super::session::Visitor;
use crate::domain::{SavedForm, SessionId};
use crate::http::gate::AppState;
use crate::http::wire::ApiError;
use crate::locks::lock;

/// How long a form waits for the same one that came before it.
const WAITS: Duration = Duration::from_secs(30);
/// How long a page with a secret is kept, to be shown again.
const SECRETS_LAST: Duration = Duration::from_mins(1);
/// The most pages with secrets that are kept, and the longest one, in bytes.
const MOST_SECRETS: usize = 16;
const LONGEST_SECRET: usize = 64 * 1024;

/// The beginning of SHA-256 of the session, the address and the fields of a form.
type FormDigest = [u8; 16];

/// The forms that are being saved, and the newest pages with secrets.
#[derive(Default)]
pub(crate) struct FormTurns {
    running: Mutex<HashMap<FormDigest, Arc<AsyncMutex<()>>>>,
    secrets: Mutex<VecDeque<(FormDigest, Instant, Bytes)>>,
}

/// Marks the answer to a form as a page with a secret, which is shown once. It has the address of
/// the page that shows the same without the secret.
#[derive(Clone, Copy)]
pub(crate) struct ShownOnce(pub(crate) &'static str);

/// A form of a session.
pub(super) struct PostedForm {
    app: Data<AppState>,
    turns: Data<FormTurns>,
    session: SessionId,
    digest: FormDigest,
}

/// The turn of a form: the same one waits until it ends.
pub(super) struct FormTurn {
    form: PostedForm,
    held: Option<OwnedMutexGuard<()>>,
}

impl PostedForm {
    /// The form that a request posts; `None` of visitors without a session, and of a form that
    /// comes back to be looked at.
    pub(super) fn of(request: &ServiceRequest) -> Option<Self> {
        let extensions = request.extensions();
        let form = extensions.get::<FormFields>().filter(|it| !it.is_kept())?;
        let session = extensions.get::<Visitor>()?.session.as_ref()?.id;
        let whole = Sha256::new()
            .chain_update(session.0)
            .chain_update(form.digest)
            .chain_update(page_of(request.request()).as_bytes())
            .finalize();
        Some(Self {
            app: request.app_data::<Data<AppState>>()?.clone(),
            turns: request.app_data::<Data<FormTurns>>()?.clone(),
            session,
            digest: *whole.first_chunk()?,
        })
    }

    /// Waits until no equal form is being saved.
    ///
    /// # Errors
    /// [`ApiError::Overloaded`] if that takes too long.
    pub(super) async fn turn(self) -> Result<FormTurn, ApiError> {
        let mutex = lock(&self.turns.running)
            .entry(self.digest)
            .or_default()
            .clone();
        let held = timeout(WAITS, mutex.lock_owned()).await;
        let held = held.map_err(|_| ApiError::Overloaded)?;
        Ok(FormTurn {
            form: self,
            held: Some(held),
        })
    }
}

impl FormTurn {
    /// The answer to the same form before this one, if it was saved.
    pub(super) fn earlier(&self) -> Option<HttpResponse> {
        let PostedForm {
            app,
            turns,
            session,
            digest,
        } = &self.form;
        let registry = app.store.registry();
        let saved = registry.session(session, app.now().time)?.saved.as_ref();
        let saved = saved.filter(|saved| saved.digest == *digest)?;
        let secrets = lock(&turns.secrets);
        let mut known = secrets
            .iter()
            .filter(|(of, at, _)| of == digest && at.elapsed() < SECRETS_LAST);
        Some(match known.next() {
            Some((_, _, page)) => shown(page.clone()),
            None => see_other(&saved.leads_to),
        })
    }

    /// Keeps the answer if the form was saved, and returns it.
    ///
    /// # Errors
    /// That of a body which cannot be read.
    pub(super) async fn keep(
        self,
        response: ServiceResponse<BoxBody>,
    ) -> Result<ServiceResponse<BoxBody>, Error> {
        let once = response.response().extensions().get::<ShownOnce>().copied();
        let (response, leads_to) = if let Some(ShownOnce(without)) = once {
            (self.keep_secret(response).await?, Some(without.to_owned()))
        } else {
            let leads_to = leads_to(&response);
            (response, leads_to)
        };
        let leads_to = leads_to.filter(|to| to.len() <= SavedForm::LONGEST);
        if let Some(leads_to) = leads_to {
            let (id, digest) = (self.form.session, self.form.digest);
            let leads_to = leads_to.into();
            let saved = SavedForm { digest, leads_to };
            let store = &self.form.app.store;
            let kept = store.edit_async(move |edit| edit.keep_saved(id, saved));
            if let Err(error) = kept.await {
                log::warn!("cannot note that a form was saved: {error}");
            }
        }
        Ok(response)
    }

    async fn keep_secret(
        &self,
        response: ServiceResponse<BoxBody>,
    ) -> Result<ServiceResponse<BoxBody>, Error> {
        let (request, response) = response.into_parts();
        let (response, body) = response.into_parts();
        let page = to_bytes(body).await?;
        if page.len() <= LONGEST_SECRET {
            let mut secrets = lock(&self.form.turns.secrets);
            secrets.retain(|(_, at, _)| at.elapsed() < SECRETS_LAST);
            secrets.truncate(MOST_SECRETS - 1);
            secrets.push_front((self.form.digest, Instant::now(), page.clone()));
        }
        let response = response.set_body(BoxBody::new(page));
        Ok(ServiceResponse::new(request, response))
    }
}

impl Drop for FormTurn {
    fn drop(&mut self) {
        let mut running = lock(&self.form.turns.running);
        // Those who wait hold it, too.
        self.held = None;
        let is_last = |it: &Arc<AsyncMutex<()>>| Arc::strong_count(it) == 1;
        if running.get(&self.form.digest).is_some_and(is_last) {
            running.remove(&self.form.digest);
        }
    }
}

fn shown(page: Bytes) -> HttpResponse {
    let html = HeaderValue::from_static("text/html; charset=utf-8");
    HttpResponse::Ok()
        .insert_header((CONTENT_TYPE, html))
        .body(page)
}

/// The address that a saved form leads to. One that sets a cookie is done again each time.
fn leads_to(response: &ServiceResponse<BoxBody>) -> Option<String> {
    let response = response.response();
    let is_saved =
        response.status() == StatusCode::SEE_OTHER && response.cookies().next().is_none();
    let to = response.headers().get(LOCATION).filter(|_| is_saved)?;
    to.to_str().ok().map(str::to_owned)
}
