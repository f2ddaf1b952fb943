//! Advance payments of a contract.

use super::amount::Amount;
use super::json::{ContractError, Node, list, object, quoted};
use super::period::{DayShares, Period, Periods};
use crate::domain::{Decimal, LocalDate, Timestamp, Zone};

/// An amount that is paid in each period, from a date on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Advance {
    from: LocalDate,
    amount: Decimal,
    per: Period,
}

const EXAMPLE: &str = r#"{"from":"2026-01-01","amount":85,"per":"month"}"#;
const MOST_ADVANCES: usize = 64;

impl Advance {
    pub(super) fn read_list(node: &Node<'_>) -> Result<Vec<Self>, ContractError> {
        let mut advances: Vec<Self> = Vec::new();
        if node.is_empty_list() {
            return Ok(advances);
        }
        for node in node.list(MOST_ADVANCES, &format!("[{EXAMPLE}]"))? {
            let fields = node.fields(&["from", "amount", "per"], EXAMPLE)?;
            let from = fields.need("from", "\"2026-01-01\"")?;
            let date = LocalDate::parse(&from.text("\"2026-01-01\"")?);
            let date = date.map_err(|_| from.refused("a date such as \"2026-01-01\""))?;
            if advances.last().is_some_and(|before| date <= before.from) {
                return Err(from.refused("a later date than in the advance before"));
            }
            let expected = "an amount from 0 to 999999.999999 with up to six decimals, such as 85";
            let per = fields.need("per", "\"month\"")?;
            let of_advance: Option<Period> = per.word().ok();
            let of_advance =
                of_advance.filter(|period| matches!(period, Period::Month | Period::Day));
            advances.push(Self {
                from: date,
                amount: fields.need("amount", "85")?.not_negative(expected)?,
                per: of_advance.ok_or_else(|| per.refused("\"month\" or \"day\""))?,
            });
        }
        Ok(advances)
    }

    pub(super) fn write_list(advances: &[Self]) -> String {
        list(advances.iter().map(|advance| {
            object([
                ("from", Some(quoted(&advance.from.to_string()))),
                ("amount", Some(advance.amount.to_string())),
                ("per", Some(quoted(advance.per.as_str()))),
            ])
        }))
    }

    /// The sum of the advances between two times.
    pub(super) fn paid(advances: &[Self], from: Timestamp, to: Timestamp, zone: &Zone) -> Amount {
        let ends = advances.iter().skip(1).map(|next| next.from.start(zone));
        let ends = ends.chain([Timestamp::MAX]);
        let paid = advances.iter().zip(ends).map(|(advance, end)| {
            let mut shares = DayShares::new(Periods::new(advance.per, None, zone), zone);
            let (mut at, end) = (advance.from.start(zone).max(from), end.min(to));
            let mut paid = Amount::ZERO;
            while at < end {
                let until = shares.until(at).min(end).max(at.saturating_add_millis(1));
                paid = paid + shares.between(advance.amount, at, until);
                at = until;
            }
            paid
        });
        paid.sum()
    }
}
