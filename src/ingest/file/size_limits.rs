//! How large a file may become while it is read.

const MIB: u64 = 1024 * 1024;

/// The maximum sizes of tables and texts that are made of a file, in bytes.
#[derive(Clone, Copy, Debug)]
pub(super) struct SizeLimits {
    /// Of the file in a zip, or of a sheet as CSV.
    pub(super) content: u64,
    /// Of the parts of a workbook that are read.
    pub(super) workbook: u64,
    /// Of a table made of another format.
    pub(super) table: u64,
    /// Of a row: a quote that is never closed would otherwise make the rest of the file one row.
    pub(super) row: u64,
    /// Of the whole text.
    pub(super) text: Option<u64>,
}

impl SizeLimits {
    pub(super) const TOO_LARGE_FOR_PAGE: &str =
        "it is too large for the page: import it with the command";

    /// The limits of the command.
    pub(super) const COMMAND: Self = Self {
        content: 256 * MIB,
        workbook: 96 * MIB,
        table: 512 * MIB,
        row: 4 * MIB,
        text: None,
    };

    /// The limits for a file whose text may have `most` bytes. A workbook's parts are larger than
    /// its text.
    pub(super) const fn of_text(most: u64) -> Self {
        Self {
            content: most,
            workbook: most.saturating_mul(6),
            table: most,
            row: 256 * 1024,
            text: Some(most),
        }
    }

    /// Why a table made of another format is refused.
    pub(super) const fn too_many_values(&self) -> &'static str {
        match self.text {
            Some(_) => Self::TOO_LARGE_FOR_PAGE,
            None => "it has too many values: split it",
        }
    }
}
