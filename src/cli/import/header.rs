//! The header of a table: its columns by name and number, and how to ask about them.

/// Why the columns are not known.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Unclear {
    /// As it says.
    Said(String),
    /// There is one row a value, and nobody said of what.
    WhichKeys,
}

/// The names of a table's columns.
pub(super) struct Header<'a> {
    /// The names; for a table without a header the first row's cells.
    pub names: Vec<String>,
    /// Which columns belong to Flux's group key, where it says so.
    pub group: Option<&'a [bool]>,
    /// Without a header: the first column that holds a time.
    pub headerless_time: Option<usize>,
}

impl Header<'_> {
    /// The column of that name, whatever its capitals.
    pub(super) fn position(&self, name: &str) -> Option<usize> {
        let exact = self.names.iter().position(|other| other == name);
        exact.or_else(|| {
            self.names
                .iter()
                .position(|other| other.eq_ignore_ascii_case(name))
        })
    }

    /// The column that the user names, or numbers from 1.
    pub(super) fn column(&self, wish: &str) -> Option<usize> {
        let named = if self.headerless_time.is_some() {
            None
        } else {
            self.position(wish)
        };
        named.or_else(|| {
            let number: usize = wish.parse().ok()?;
            (1..=self.names.len()).contains(&number).then(|| number - 1)
        })
    }

    /// The column of times.
    pub(super) fn time(&self, wish: Option<&str>) -> Result<usize, Unclear> {
        /// What columns of times are called: by us, by Flux, by Home Assistant.
        const USUAL: [&str; 5] = ["time", "_time", "last_changed", "timestamp", "start"];
        if let Some(wish) = wish {
            return self.column(wish).ok_or_else(|| self.no_column(wish));
        }
        self.headerless_time
            .or_else(|| USUAL.into_iter().find_map(|name| self.position(name)))
            .ok_or_else(|| {
                Unclear::Said(format!(
                    "which column holds the times? Say --time-column COLUMN: {}",
                    self.listed()
                ))
            })
    }

    /// That there is no such column.
    pub(super) fn no_column(&self, wish: &str) -> Unclear {
        Unclear::Said(format!("there is no column {wish:?}: {}", self.listed()))
    }

    /// That nobody said what is measured.
    pub(super) fn no_measure(&self) -> Unclear {
        Unclear::Said(format!(
            "which column holds what? Say --watts-column COLUMN for power, --watthours-column COLUMN \
             for a meter's register, with --unit kW or --unit kWh where it is in thousands: {}",
            self.listed()
        ))
    }

    /// The columns, in words.
    fn listed(&self) -> String {
        let names = self.names.iter().enumerate();
        let parts: Vec<_> = if self.headerless_time.is_some() {
            names
                .map(|(column, cell)| format!("{} ({cell})", column + 1))
                .collect()
        } else {
            names
                .filter(|(_, name)| !name.is_empty())
                .map(|(_, name)| name.clone())
                .collect()
        };
        let kind = if self.headerless_time.is_some() {
            "without a header, they are"
        } else {
            "they are"
        };
        format!("{kind} {}", parts.join(", "))
    }
}
