//! Prices by kind of day and hour: a table, such as 12 months of weekdays and weekends.

use super::Label;
use super::clock_finder::{ClockFinder, Surroundings};
use super::conditions::Conditions;
use super::coverage::{self, NamedConditions};
use super::holidays::Holidays;
use super::json::{ContractError, Node, list, members};
use crate::domain::{Decimal, Timestamp};

/// Rows of prices, one for each hour of the day. The last row that holds for a day wins.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct PriceTable(Vec<HourlyPrices>);

/// The prices of the days of a kind.
#[derive(Clone, Debug, PartialEq, Eq)]
struct HourlyPrices {
    /// Its days.
    when: Conditions,
    prices: [Decimal; HOURS],
}

const HOURS: usize = 24;
const DAYS: &[&str] = &["months", "dates", "weekdays", "holidays"];
const EXAMPLE: &str = r#"{"months":"9","weekdays":"mon-fri","prices":[0.05,0.05,..]}"#;

impl PriceTable {
    pub(super) fn read(node: &Node<'_>, holidays: &Holidays) -> Result<Self, ContractError> {
        let nodes = node.list(coverage::MOST_ZONES, &format!("[{EXAMPLE}]"))?;
        let rows: Vec<HourlyPrices> = nodes
            .iter()
            .map(HourlyPrices::read)
            .collect::<Result<_, _>>()?;
        let labels = (1..=rows.len()).map(|row| Label::new(&format!("row {row}")));
        let labels: Vec<Label> = labels.filter_map(Result::ok).collect();
        let labelled = labels.iter().zip(rows.iter().map(|row| &row.when));
        let labelled: Vec<NamedConditions<'_>> = labelled.collect();
        coverage::check(&labelled, holidays).map_err(|(row, problem)| {
            let place = row.and_then(|row| nodes.get(row)).unwrap_or(node);
            ContractError::new(place.place(), problem)
        })?;
        Ok(Self(rows))
    }

    pub(super) fn write(&self) -> String {
        list(self.0.iter().map(HourlyPrices::write))
    }

    /// The conditions of its rows.
    pub(super) fn conditions(&self) -> impl Iterator<Item = &Conditions> {
        self.0.iter().map(|row| &row.when)
    }

    /// A finder of its places: a row times 24, plus the hour.
    pub(super) fn finder(&self, around: Surroundings<'_>, time: Timestamp) -> ClockFinder {
        ClockFinder::new(self.conditions().cloned().collect(), around, time).by_hour()
    }

    /// The price of a place.
    pub(super) fn price(&self, place: usize) -> Option<Decimal> {
        let row = self.0.get(place / HOURS)?;
        row.prices.get(place % HOURS).copied()
    }
}

impl HourlyPrices {
    fn read(node: &Node<'_>) -> Result<Self, ContractError> {
        let fields = node.fields(&[DAYS, &["prices"]].concat(), EXAMPLE)?;
        let expected = || node.refused("24 prices, one for each hour from midnight on");
        let list = fields
            .need("prices", "24 prices")?
            .list(HOURS, "[0.05,..]")?;
        let prices: Vec<Decimal> = list.iter().map(Node::price).collect::<Result<_, _>>()?;
        Ok(Self {
            when: Conditions::read(&fields)?,
            prices: prices.try_into().map_err(|_| expected())?,
        })
    }

    fn write(&self) -> String {
        let prices = list(self.prices.iter().map(ToString::to_string));
        let when = self.when.members().into_iter();
        members(when.chain([("prices", Some(prices))]))
    }
}
