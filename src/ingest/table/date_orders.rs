//! Evidence for the order of day and month in dates.

use super::times::DateOrder;

/// Evidence for the order of dates such as 25/04/2026, from their first two numbers.
#[derive(Default)]
pub(super) struct DateOrders {
    first_above: bool,
    second_above: bool,
}

impl DateOrders {
    /// Looks at a cell of a date.
    pub(super) fn see(&mut self, cell: &[u8]) {
        let text = String::from_utf8_lossy(cell.trim_ascii());
        let mut parts = text.split(['/', '-', ' ']);
        let mut number = || {
            parts
                .next()
                .filter(|part| part.len() <= 2)?
                .parse::<u8>()
                .ok()
        };
        if let (Some(first), Some(second)) = (number(), number()) {
            self.first_above |= first > 12;
            self.second_above |= second > 12;
        }
    }

    /// The order, unless the dates show none or both.
    pub(super) const fn found(&self) -> Option<DateOrder> {
        match (self.first_above, self.second_above) {
            (true, false) => Some(DateOrder::Dmy),
            (false, true) => Some(DateOrder::Mdy),
            _ => None,
        }
    }
}
