//! The fields of a posted form.

use std::sync::Arc;

use sha2::{Digest as _, Sha256};

use crate::http::gate::PriceUpload;
use crate::http::wire::body::{in_background, parse};
use crate::http::wire::form::Form;
use crate::http::wire::{ApiError, Body, Reservation};

/// The fields of a form that passed the guard.
pub(crate) struct FormFields {
    pub(super) form: Form,
    memory: Arc<Reservation>,
    /// The upload of a large form, which is worked on in its turns.
    upload: Option<PriceUpload>,
    /// SHA-256 of the form as it came.
    pub(super) digest: [u8; 32],
}

impl FormFields {
    /// Reads the form in the body of a request. Large forms are decoded in the background; only the
    /// field `large` may be large.
    ///
    /// # Errors
    /// As [`Form::parse`] and [`Form::check_beside`].
    pub(crate) async fn read(
        body: Body,
        large: Option<&'static str>,
        upload: Option<PriceUpload>,
    ) -> Result<Self, ApiError> {
        let size = body.bytes.len();
        let decoding = move || {
            let form = Form::parse(&body.bytes)?;
            large.map_or(Ok(()), |large| form.check_beside(large))?;
            let digest = Sha256::digest(&body.bytes).into();
            Ok::<_, ApiError>(((form, digest), body.reserved))
        };
        let ((form, digest), memory) = match &upload {
            Some(upload) => upload.run(decoding).await??,
            None => parse(size, decoding).await??,
        };
        Ok(Self {
            form,
            memory: Arc::new(memory),
            upload,
            digest,
        })
    }

    /// Runs work on a large form in the background, in a turn: no other large form is worked on
    /// meanwhile.
    ///
    /// # Errors
    /// [`ApiError::Overloaded`] if the others take too long; an internal error if `work` panics.
    pub(crate) async fn in_turn<T: Send + 'static>(
        &self,
        work: impl FnOnce() -> T + Send + 'static,
    ) -> Result<T, ApiError> {
        let memory = Arc::clone(&self.memory);
        let work = move || {
            let _memory = memory;
            work()
        };
        match &self.upload {
            Some(upload) => upload.run(work).await,
            None => in_background(work).await,
        }
    }

    /// The value of the field `name`; empty if it is missing.
    ///
    /// # Errors
    /// [`ApiError`] if the field comes twice or is badly encoded.
    pub(crate) fn field(&self, name: &str) -> Result<String, ApiError> {
        Ok(self.form.get(name)?.unwrap_or_default().to_owned())
    }

    /// Takes the value of a large field, which is gone afterwards.
    ///
    /// # Errors
    /// As [`Self::field`].
    pub(crate) fn take(&mut self, name: &str) -> Result<String, ApiError> {
        self.form.take(name)
    }
}
