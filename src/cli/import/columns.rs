//! Which column of a table is what: by its header, by what the user says, and by the shapes that
//! other systems write.
//!
//! | from | header |
//! | --- | --- |
//! | wattkeeper | `time,watts,watthours` |
//! | Emoncms | none: `1357003243,239` |
//! | Home Assistant, history | `entity_id,state,last_changed`: one row a value |
//! | Home Assistant, statistics | `statistic_id,unit,start,min,max,mean,sum,state` |
//! | Influx, command line | `name,time,power,...` or `name,tags,time,power,...` |
//! | Influx, Flux | `,result,table,_start,_stop,_time,_value,_field,_measurement,...`: one row a value |

/// What the user says of a file. Columns are named, or numbered from 1.
#[derive(Clone, Debug, Default)]
pub(super) struct Wishes {
    /// The column of times.
    pub time: Option<String>,
    /// The column of power; where there is one row a value, the entity or field.
    pub watts: Option<String>,
    /// The same for the register.
    pub watthours: Option<String>,
    /// Columns, and the value that a row must have there to be taken.
    pub filters: Vec<(String, String)>,
}

/// Which column of a table is what. Columns count from 0.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Columns {
    /// The time.
    pub time: usize,
    /// Power.
    pub watts: Option<Measure>,
    /// The register.
    pub watthours: Option<Measure>,
    /// What a row is of, where there is one row a value.
    pub key: Option<usize>,
    /// What a row must have where to be taken.
    pub filters: Vec<(usize, Vec<u8>)>,
    /// Columns that tell series apart: one import is of one.
    pub series: Vec<usize>,
    /// The names of all columns; without a header the first row's cells.
    pub names: Vec<String>,
    /// Which system wrote it.
    pub shape: Shape,
}

/// Where a measure is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Measure {
    /// The column of its numbers.
    pub column: usize,
    /// What a row must be of to have it.
    pub key: Option<Vec<u8>>,
}

/// The systems whose files are known.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum Shape {
    /// Any table with a header.
    #[default]
    Plain,
    /// A table without one.
    Headerless,
    /// Home Assistant's history.
    HomeAssistant,
    /// Influx's command line.
    InfluxCli,
    /// Flux's result.
    Flux,
}

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

impl Shape {
    fn of(header: &Header) -> Self {
        let has = |name: &str| header.names.iter().any(|other| other == name);
        if header.headerless_time.is_some() {
            Self::Headerless
        } else if has("_time") {
            Self::Flux
        } else if has("entity_id") && has("state") {
            Self::HomeAssistant
        } else if header.names.first().is_some_and(|name| name == "name") && has("time") {
            Self::InfluxCli
        } else {
            Self::Plain
        }
    }

    /// Whether rows without any value are usual.
    pub(super) const fn has_empty_rows(self) -> bool {
        matches!(self, Self::HomeAssistant | Self::InfluxCli | Self::Flux)
    }

    /// Whether rows may end early.
    pub(super) const fn has_short_rows(self) -> bool {
        matches!(self, Self::HomeAssistant)
    }

    /// What a key is called.
    pub(super) const fn key_word(self) -> &'static str {
        match self {
            Self::HomeAssistant => "entities",
            _ => "fields",
        }
    }
}

impl Columns {
    /// The columns of a table with this header.
    ///
    /// # Errors
    /// [`Unclear`], with the option that would make it clear.
    pub(super) fn find(header: &Header, wishes: &Wishes) -> Result<Self, Unclear> {
        let shape = Shape::of(header);
        let (key, value) = match shape {
            Shape::HomeAssistant => (header.position("entity_id"), header.position("state")),
            Shape::Flux => (header.position("_field"), header.position("_value")),
            _ => (None, None),
        };
        let long = key.zip(value);
        let time = header.time(wishes.time.as_deref())?;
        let measure = |wish: Option<&str>, usual: &str| match (wish, long) {
            (Some(wish), _) if header.column(wish).is_some() => Ok(header.column(wish).map(column)),
            (Some(wish), Some((_, value))) => Ok(Some(keyed(value, wish))),
            (Some(wish), None) => Err(header.no_column(wish)),
            (None, _) if header.position(usual).is_some() => Ok(header.position(usual).map(column)),
            (None, Some((_, value))) if shape == Shape::Flux => Ok(Some(keyed(value, usual))),
            (None, _) => Ok(None),
        };
        let watts = measure(wishes.watts.as_deref(), "watts")?;
        let watthours = measure(wishes.watthours.as_deref(), "watthours")?;
        if watts.is_none() && watthours.is_none() {
            return Err(match long {
                Some(_) => Unclear::WhichKeys,
                None => header.no_measure(),
            });
        }
        let filters = wishes
            .filters
            .iter()
            .map(|(name, value)| {
                let column = header.column(name).ok_or_else(|| header.no_column(name))?;
                Ok((column, value.as_bytes().to_vec()))
            })
            .collect::<Result<Vec<_>, Unclear>>()?;
        let is_keyed = [&watts, &watthours]
            .into_iter()
            .flatten()
            .any(|measure| measure.key.is_some());
        let mut columns = Self {
            time,
            watts,
            watthours,
            key: key.filter(|_| is_keyed),
            filters,
            series: Vec::new(),
            names: header.names.clone(),
            shape,
        };
        columns.series = columns.find_series(header);
        Ok(columns)
    }

    /// How many columns a row has.
    pub(super) const fn width(&self) -> usize {
        self.names.len()
    }

    /// What a column is called.
    pub(super) fn name(&self, column: usize) -> String {
        match self.names.get(column) {
            Some(name) if self.shape != Shape::Headerless => name.clone(),
            _ => format!("column {}", column + 1),
        }
    }

    /// Whether a column is put to some use.
    pub(super) fn uses(&self, column: usize) -> bool {
        let measures = [&self.watts, &self.watthours];
        self.time == column
            || self.key == Some(column)
            || self.filters.iter().any(|(filter, _)| *filter == column)
            || measures
                .into_iter()
                .flatten()
                .any(|measure| measure.column == column)
    }

    fn find_series(&self, header: &Header) -> Vec<usize> {
        /// What Flux adds to every table.
        const FLUX: [&str; 8] = [
            "", "result", "table", "_start", "_stop", "_time", "_value", "_field",
        ];
        let tells_apart = |column: usize, name: &str| match self.shape {
            Shape::HomeAssistant => name == "entity_id",
            Shape::InfluxCli => column == 0 || name == "tags",
            Shape::Plain => name == "statistic_id",
            Shape::Headerless => false,
            Shape::Flux => match header.group {
                Some(group) => group.get(column) == Some(&true) && !FLUX.contains(&name),
                // Without the group key a table with a column for each field cannot be told.
                None if self.key.is_none() => name == "_measurement" || name == "_field",
                None => !FLUX.contains(&name),
            },
        };
        let columns = header.names.iter().enumerate();
        columns
            .filter(|(column, name)| !self.uses(*column) && tells_apart(*column, name))
            .map(|(column, _)| column)
            .collect()
    }
}

const fn column(column: usize) -> Measure {
    Measure { column, key: None }
}

fn keyed(column: usize, key: &str) -> Measure {
    Measure {
        column,
        key: Some(key.as_bytes().to_vec()),
    }
}

impl Header<'_> {
    /// The column of that name, whatever its capitals.
    fn position(&self, name: &str) -> Option<usize> {
        let exact = self.names.iter().position(|other| other == name);
        exact.or_else(|| {
            self.names
                .iter()
                .position(|other| other.eq_ignore_ascii_case(name))
        })
    }

    /// The column that the user names, or numbers from 1.
    fn column(&self, wish: &str) -> Option<usize> {
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

    fn time(&self, wish: Option<&str>) -> Result<usize, Unclear> {
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

    fn no_column(&self, wish: &str) -> Unclear {
        Unclear::Said(format!("there is no column {wish:?}: {}", self.listed()))
    }

    fn no_measure(&self) -> Unclear {
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

#[cfg(test)]
mod tests {
    use super::*;

    fn find(header: &str, wishes: &Wishes) -> Result<Columns, Unclear> {
        let names = header.split(',').map(str::to_owned).collect();
        Columns::find(
            &Header {
                names,
                group: None,
                headerless_time: None,
            },
            wishes,
        )
    }

    fn wishes(watts: Option<&str>, watthours: Option<&str>) -> Wishes {
        Wishes {
            watts: watts.map(str::to_owned),
            watthours: watthours.map(str::to_owned),
            ..Wishes::default()
        }
    }

    fn said(result: Result<Columns, Unclear>) -> String {
        match result {
            Err(Unclear::Said(text)) => text,
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn our_own_header() {
        let columns = find("time,watts,watthours", &Wishes::default()).unwrap();
        assert_eq!(columns.time, 0);
        assert_eq!(columns.watts, Some(column(1)));
        assert_eq!(columns.watthours, Some(column(2)));
        let columns = find("WattHours,Time", &Wishes::default()).unwrap();
        assert_eq!((columns.time, columns.watts), (1, None));
        assert_eq!(columns.watthours, Some(column(0)));
    }

    #[test]
    fn columns_by_name_and_number() {
        let columns = find("when,p,e", &{
            let mut wishes = wishes(Some("p"), Some("3"));
            wishes.time = Some("1".into());
            wishes
        })
        .unwrap();
        assert_eq!(columns.time, 0);
        assert_eq!(columns.watts, Some(column(1)));
        assert_eq!(columns.watthours, Some(column(2)));
    }

    #[test]
    fn what_is_not_said_is_asked_for() {
        let text = said(find("time,power,energy", &Wishes::default()));
        assert!(text.contains("--watts-column"), "{text}");
        assert!(text.ends_with("they are time, power, energy"), "{text}");
        let text = said(find("when,watts", &Wishes::default()));
        assert!(text.contains("--time-column"), "{text}");
        let text = said(find("time,watts", &wishes(Some("wats"), None)));
        assert!(text.contains("\"wats\""), "{text}");
        let text = said(find("time,watts", &wishes(Some("3"), None)));
        assert!(text.contains("no column \"3\""), "{text}");

        let header = Header {
            names: vec!["1357003243".to_owned(), "239".to_owned()],
            group: None,
            headerless_time: Some(0),
        };
        let text = said(Columns::find(&header, &Wishes::default()));
        assert!(text.ends_with("they are 1 (1357003243), 2 (239)"), "{text}");
        let columns = Columns::find(&header, &wishes(Some("2"), None)).unwrap();
        assert_eq!((columns.time, columns.watts), (0, Some(column(1))));
    }

    #[test]
    fn one_row_a_value() {
        let history = "entity_id,state,last_changed";
        assert_eq!(find(history, &Wishes::default()), Err(Unclear::WhichKeys));
        let columns = find(history, &wishes(Some("sensor.p"), Some("sensor.e"))).unwrap();
        assert_eq!((columns.time, columns.key), (2, Some(0)));
        assert_eq!(columns.watts, Some(keyed(1, "sensor.p")));
        assert!(columns.series.is_empty());
        let columns = find(history, &wishes(Some("state"), None)).unwrap();
        assert_eq!((columns.key, columns.series), (None, vec![0]));

        let flux = ",result,table,_start,_stop,_time,_value,_field,_measurement,host";
        let columns = find(flux, &Wishes::default()).unwrap();
        assert_eq!((columns.time, columns.key), (5, Some(7)));
        assert_eq!(columns.watts, Some(keyed(6, "watts")));
        assert_eq!(columns.watthours, Some(keyed(6, "watthours")));
        assert_eq!(columns.series, [8, 9]);
    }

    #[test]
    fn filters_name_columns() {
        let mut wishes = wishes(Some("value"), None);
        wishes.filters = vec![("host".into(), "a".into())];
        let columns = find("name,time,host,value", &wishes).unwrap();
        assert_eq!(columns.filters, [(2, b"a".to_vec())]);
        assert_eq!(
            (columns.shape, columns.series.as_slice()),
            (Shape::InfluxCli, &[0][..])
        );
        wishes.filters = vec![("room".into(), "a".into())];
        assert!(said(find("name,time,host,value", &wishes)).contains("room"));
    }
}
