//! The content of the record of a bill, and the same as JSON in a backup. Even with the maximum
//! number of lines, it is shorter than a record in pieces may be.

use serde::{Deserialize, Serialize};

use crate::domain::{Decimal, MicroWh, TimeRange, Timestamp};
use crate::ledger::contract::Label;
use crate::ledger::utility::{EnteredBill, EnteredLine};

/// Times are milliseconds since 1970, the energy is in millionths of a watt-hour, amounts are in
/// millionths of the currency.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct BillRecord {
    from: i64,
    to: i64,
    energy: Option<i64>,
    total: i64,
    lines: Vec<(Label, i64)>,
}

impl From<&EnteredBill> for BillRecord {
    fn from(bill: &EnteredBill) -> Self {
        let line = |line: &EnteredLine| (line.name.clone(), line.amount.millionths());
        Self {
            from: bill.range.start().millis(),
            to: bill.range.end().millis(),
            energy: bill.energy.map(MicroWh::millionths),
            total: bill.total.millionths(),
            lines: bill.lines.iter().map(line).collect(),
        }
    }
}

impl BillRecord {
    /// `None` if it is invalid.
    pub(crate) fn parse(self) -> Option<EnteredBill> {
        let [from, to] = [self.from, self.to].map(Timestamp::from_millis);
        let line = |(name, amount)| EnteredLine {
            name,
            amount: Decimal::from_millionths(amount),
        };
        let (from, to) = from.zip(to).filter(|(from, to)| from < to)?;
        let lines: Vec<_> = self.lines.into_iter().map(line).collect();
        Some(EnteredBill {
            range: TimeRange::new(from, to)?,
            energy: self.energy.map(MicroWh::new),
            total: Decimal::from_millionths(self.total),
            lines: Some(lines).filter(|lines| lines.len() <= EnteredBill::MOST_LINES)?,
        })
    }
}
