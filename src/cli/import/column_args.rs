//! The options that choose columns and series.

use clap::Args;

use crate::ingest::table::Wishes;

// No doc comment, because clap would take it for the command's description. The user's options for
// a file. Columns have names, or numbers from 1.
#[derive(Args, Clone, Debug, Default)]
pub(super) struct ColumnArgs {
    /// The column of times, by name or number [default: time, or its name in other systems]
    #[arg(long = "time-column", value_name = "COLUMN")]
    time: Option<String>,
    /// The column of power; in a Home Assistant history, the entity, in one of Flux, the field
    #[arg(long = "watts-column", value_name = "COLUMN")]
    watts: Option<String>,
    /// The column of the meter's register, likewise
    #[arg(long = "watthours-column", value_name = "COLUMN")]
    watthours: Option<String>,
    /// Take only rows with this value in this column
    #[arg(long = "where", value_name = "COLUMN=VALUE", value_parser = filter)]
    filters: Vec<(String, String)>,
}

fn filter(text: &str) -> Result<(String, String), String> {
    text.split_once('=')
        .filter(|(column, _)| !column.is_empty())
        .map(|(column, value)| (column.to_owned(), value.to_owned()))
        .ok_or_else(|| "expected COLUMN=VALUE".into())
}

impl ColumnArgs {
    /// The chosen columns.
    pub(super) fn wishes(&self) -> Wishes {
        Wishes {
            time: self.time.clone(),
            watts: self.watts.clone(),
            watthours: self.watthours.clone(),
            filters: self.filters.clone(),
        }
    }
}
