//! The plan of a table in words, for people to see before anything is stored.

use serde::Serialize;

use super::super::unit::{ImportMeasure, UnitWishes};
use super::super::wishes::{TimesAre, Wishes};
use super::{MeasurePlace, Shape, TablePlan};
use crate::domain::words::words;
use crate::texts::Language;

/// Who decided a part of a plan.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Decider {
    User,
    /// The known format of the file.
    Format,
    /// A unit in the name of the column, or in its cells.
    Unit,
    /// The name of the column.
    Name,
    Values,
    /// The settings of the account.
    Account,
    /// The usual choice, as nothing says otherwise.
    Default,
}

words! {
    Decider: User "user", Format "format", Unit "unit", Name "name", Values "values",
        Account "account", Default "default";
    "user, format, unit, name, values, account or default"
}

/// The meaning of a table's times.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum LabelMeaning {
    Start,
    End,
    /// Both ends of an interval.
    Both,
    /// The moments of values.
    Moment,
    /// Starts or ends: the file does not say it.
    Open,
}

words! {
    LabelMeaning: Start "start", End "end", Both "both", Moment "moment", Open "open";
    "start, end, both, moment or open"
}

/// A part of a plan.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(tag = "part", rename_all = "lowercase")]
pub(crate) enum PlanPart {
    /// Where times are.
    Times {
        columns: Vec<String>,
        are: LabelMeaning,
        by: Decider,
    },
    /// The zone of times without an offset.
    Zone { zone: String, by: Decider },
    Power {
        columns: Vec<String>,
        unit: String,
        by: Decider,
    },
    /// Energies of intervals.
    Energy {
        columns: Vec<String>,
        unit: String,
        by: Decider,
    },
    /// The register of a meter.
    Register {
        columns: Vec<String>,
        unit: String,
        by: Decider,
    },
    /// Which rows are taken.
    Rows {
        column: String,
        value: String,
        by: Decider,
    },
}

/// The wishes of the user, before a known format filled in the rest.
pub(in super::super) struct AskedTerms {
    pub(in super::super) wishes: Wishes,
    pub(in super::super) zone: (String, Decider),
}

impl PlanPart {
    /// The part in words.
    pub(crate) fn text(&self, language: &Language) -> String {
        let by = |by: Decider| language.word("plan-by", Decider::as_str(by));
        match self {
            Self::Times {
                columns,
                are,
                by: decider,
            } => {
                let columns = columns.join(", ");
                let (are, by) = (
                    language.word("plan-are", LabelMeaning::as_str(*are)),
                    by(*decider),
                );
                let values = [
                    ("columns", columns.as_str().into()),
                    ("are", are.as_str().into()),
                    ("by", by.as_str().into()),
                ];
                language.fill("plan-times", values)
            }
            Self::Zone { zone, by: decider } => {
                let by = by(*decider);
                let values = [("zone", zone.as_str().into()), ("by", by.as_str().into())];
                language.fill("plan-zone", values)
            }
            Self::Power {
                columns,
                unit,
                by: decider,
            }
            | Self::Energy {
                columns,
                unit,
                by: decider,
            }
            | Self::Register {
                columns,
                unit,
                by: decider,
            } => {
                let (columns, by) = (columns.join(" + "), by(*decider));
                let values = [
                    ("columns", columns.as_str().into()),
                    ("unit", unit.as_str().into()),
                    ("by", by.as_str().into()),
                ];
                match self {
                    Self::Power { .. } => language.fill("plan-power", values),
                    Self::Energy { .. } => language.fill("plan-energy", values),
                    _ => language.fill("plan-register", values),
                }
            }
            Self::Rows {
                column,
                value,
                by: decider,
            } => {
                let by = by(*decider);
                let values = [
                    ("column", column.as_str().into()),
                    ("value", value.as_str().into()),
                    ("by", by.as_str().into()),
                ];
                language.fill("plan-rows", values)
            }
        }
    }
}

impl TablePlan {
    /// Its parts, for people. `wishes` and `units` are those of the user and the known format.
    pub(in super::super) fn parts(
        &self,
        asked: AskedTerms,
        (wishes, units): (&Wishes, UnitWishes),
    ) -> Vec<PlanPart> {
        let AskedTerms {
            wishes: asked,
            zone: (zone, zone_by),
        } = asked;
        let decider = |asked: bool, of_format: bool, otherwise: Decider| match (asked, of_format) {
            (true, _) => Decider::User,
            (false, true) => Decider::Format,
            (false, false) => otherwise,
        };
        let by_header = match self.shape {
            Shape::Headerless => Decider::Values,
            _ => Decider::Name,
        };
        let mut parts = vec![
            PlanPart::Times {
                columns: self.time.columns().map(|it| self.name(it)).collect(),
                are: self.labels(),
                by: decider(asked.time.is_some(), wishes.time.is_some(), by_header),
            },
            PlanPart::Zone { zone, by: zone_by },
        ];
        let measures = [
            (
                ImportMeasure::Power,
                &self.watts,
                &asked.watts,
                &wishes.watts,
            ),
            (
                ImportMeasure::Register,
                &self.watthours,
                &asked.watthours,
                &wishes.watthours,
            ),
        ];
        for (measure, place, asked, wished) in measures {
            let Some(place) = place else { continue };
            let by_unit = if place.unit.is_some() {
                Decider::Unit
            } else {
                by_header
            };
            let by = decider(asked.is_some(), wished.is_some(), by_unit);
            let (columns, unit) = (self.columns_of(place), self.unit_of(measure, place, units));
            parts.push(match measure {
                ImportMeasure::Power => PlanPart::Power { columns, unit, by },
                ImportMeasure::Register if self.has_intervals => {
                    PlanPart::Energy { columns, unit, by }
                }
                ImportMeasure::Register => PlanPart::Register { columns, unit, by },
            });
        }
        let by = decider(!asked.filters.is_empty(), true, Decider::Format);
        parts.extend(wishes.filters.iter().map(|(column, value)| PlanPart::Rows {
            column: column.clone(),
            value: value.clone(),
            by,
        }));
        parts
    }

    fn labels(&self) -> LabelMeaning {
        let is_hours = self.watthours.as_ref().is_some_and(|it| it.days.is_some());
        match self.time.are {
            _ if self.time.has_bounds() || is_hours => LabelMeaning::Both,
            _ if !self.has_intervals => LabelMeaning::Moment,
            Some(TimesAre::Starts) => LabelMeaning::Start,
            Some(TimesAre::Ends) => LabelMeaning::End,
            None => LabelMeaning::Open,
        }
    }

    fn columns_of(&self, place: &MeasurePlace) -> Vec<String> {
        match (&place.days, &place.key) {
            (Some(days), _) => vec![days.wish(&self.names)],
            (None, Some(key)) => vec![String::from_utf8_lossy(key).into_owned()],
            (None, None) => {
                let all = std::iter::once(place.column).chain(place.more.iter().copied());
                all.map(|column| self.name(column)).collect()
            }
        }
    }

    fn unit_of(&self, measure: ImportMeasure, place: &MeasurePlace, units: UnitWishes) -> String {
        let of_column = self.unit.map(|column| self.name(column));
        let own = place.unit.map(str::to_owned).or(of_column);
        let given = units.given_name(measure).map(str::to_owned);
        own.or(given).unwrap_or_else(|| measure.base().to_owned())
    }
}
