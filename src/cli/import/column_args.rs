//! The options that choose columns and series.

use clap::Args;

use crate::ingest::table::{DecimalMark, ImportMeasure, TimesAre, Wishes};

// No doc comment, because clap would take it for the command's description. The user's options for
// a file. Columns have names, or numbers from 1.
#[derive(Args, Clone, Debug, Default)]
pub(super) struct ColumnArgs {
    /// The column of times, by name or number [default: time, or its name in other systems]
    #[arg(long = "time-column", value_name = "COLUMN")]
    time: Option<String>,
    /// The sheet of a workbook, if several have times
    #[arg(long, value_name = "NAME")]
    sheet: Option<String>,
    /// The column of power: in a Home Assistant history the entity, in Flux the field. Several
    /// columns are added up
    #[arg(long = "watts-column", value_name = "COLUMN")]
    watts: Vec<String>,
    /// The column of the meter's register, or of energies, likewise
    #[arg(long = "watthours-column", value_name = "COLUMN")]
    watthours: Vec<String>,
    /// Whether the times of energies are the starts or the ends of their intervals
    #[arg(long, value_name = "start|end")]
    times: Option<TimesAre>,
    /// The mark before the decimals of numbers such as 1,250
    #[arg(long, value_name = "point|comma")]
    decimals: Option<DecimalMark>,
    /// The file has readings of a meter: store the energy between two of them. For a sensor with the
    /// register `interval`
    #[arg(long)]
    from_registers: bool,
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
    /// The chosen sheet.
    pub(super) fn sheet(&self) -> Option<&str> {
        self.sheet.as_deref()
    }

    /// The chosen columns.
    pub(super) fn wishes(&self) -> Wishes {
        let more = |measure, names: &[String]| {
            let others = names.iter().skip(1).cloned();
            others.map(|name| (measure, name)).collect::<Vec<_>>()
        };
        let more = [
            more(ImportMeasure::Power, &self.watts),
            more(ImportMeasure::Register, &self.watthours),
        ];
        Wishes {
            time: self.time.clone(),
            watts: self.watts.first().cloned(),
            watthours: self.watthours.first().cloned(),
            more: more.concat(),
            filters: self.filters.clone(),
            times: self.times,
            decimals: self.decimals,
            from_registers: self.from_registers,
        }
    }
}
