//! Everything in the store, or of one account, as files for other programs; docs/LEAVING.md describes each, and
//! comes along as `README.md`. Commands write a folder, the pages send an archive.
//!
//! - `everything`: which files there are
//! - `reports`: energy, costs and bills among these
//! - `readings`, `prices`: readings of a sensor, prices of a series
//! - `files`: names, hashes and the list of files
//! - `folder`: a folder, which appears once it is complete
//! - `archive`: a ZIP archive, written from its start to its end

mod archive;
mod everything;
mod files;
mod folder;
mod prices;
mod readings;
mod reports;

pub(crate) use archive::ExportArchive;
pub(crate) use everything::{Exported, Wanted, export};
pub(crate) use folder::ExportFolder;
pub(crate) use prices::write_series;
#[cfg(test)]
pub(crate) use readings::write_row;
pub(crate) use readings::{ExportFormat, write_readings};

use crate::admin::{Request, Response, UnexpectedResponse};

/// The result of a step; an error tells its causes, too.
pub(crate) type ExportResult<T> = anyhow::Result<T>;

/// A store as an export asks it.
pub(crate) trait ExportSource {
    /// Carries out one request.
    ///
    /// # Errors
    /// Those of the request; an error if the store does not answer.
    fn answer(&self, request: Request) -> ExportResult<Response>;
}

impl dyn ExportSource + '_ {
    /// [`ExportSource::answer`], of the kind that the request has.
    fn ask<T>(&self, request: Request) -> ExportResult<T>
    where
        T: TryFrom<Response, Error = UnexpectedResponse>,
    {
        Ok(self.answer(request)?.try_into()?)
    }
}
