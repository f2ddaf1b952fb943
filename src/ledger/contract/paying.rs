//! When an account pays: the billing period of a time, and the advances between two times.

use std::ops::Range;

use super::list::{Contract, Contracts};
use super::period::{Period, Periods};
use crate::domain::{Decimal, Timestamp, Zone};

impl Contracts {
    /// The billing period that contains a time, by the contract that applies then. `None` if that
    /// contract says nothing of it, or if none applies.
    #[must_use]
    pub fn billing_period(&self, time: Timestamp, zone: &Zone) -> Option<Range<Timestamp>> {
        let contract = self.all().get(self.at(time, zone).0?)?;
        let billing = contract.billing()?;
        let (start, end) = Periods::new(Period::Billing, Some(billing), zone).containing(time);
        Some(start..end)
    }

    /// The advances due between two times, as a statement of that range has them; `None` if no
    /// contract with a day in it has any.
    #[must_use]
    pub fn advances(&self, range: &Range<Timestamp>, zone: &Zone) -> Option<Decimal> {
        let begins = |contract: &Contract| contract.from().start(zone);
        let next = self.all().iter().skip(1).map(begins);
        let ends = next.chain([Timestamp::MAX]);
        let paid = self.all().iter().zip(ends).filter_map(|(contract, end)| {
            let (from, to) = (begins(contract).max(range.start), end.min(range.end));
            let paid = (from < to).then(|| contract.paid(from, to, zone));
            Some(paid??.rounded())
        });
        paid.reduce(Decimal::saturating_add)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::TimeRange;
    use crate::domain::time::at;
    use crate::ledger::contract::{Announced, Pricer};

    const CONTRACTS: &str = r#"[
        {"from":"2025-03-01","name":"first","currency":"EUR","billing":{"from":"2025-03-17","months":12},
         "advances":[{"from":"2025-03-17","amount":85,"per":"month"},{"from":"2025-06-10","amount":2.5,"per":"day"}],
         "components":[{"energy":{"price":0.3}}]},
        {"from":"2025-09-12","name":"second","currency":"EUR","components":[{"energy":{"price":0.3}}]},
        {"from":"2025-11-01","name":"third","currency":"EUR","advances":[{"from":"2025-12-01","amount":60,"per":"month"}],
         "components":[{"energy":{"price":0.3}}]}]"#;

    #[test]
    fn advances_are_those_of_a_statement() {
        let contracts = Contracts::parse(CONTRACTS).unwrap();
        let zone = Zone::parse("Europe/Berlin").unwrap();
        for (from, to) in [
            ("2025-01-01T00:00:00", "2025-02-01T00:00:00"),
            ("2025-03-20T05:00:00", "2026-03-17T00:00:00"),
            ("2025-06-01T00:00:00", "2025-06-30T22:00:00"),
            ("2025-09-20T00:00:00", "2025-10-02T00:00:00"),
            ("2025-09-20T00:00:00", "2025-11-02T00:00:00"),
        ] {
            let range = at(from)..at(to);
            let asked = TimeRange::new(range.start, range.end).unwrap();
            let mut pricer = Pricer::new(&contracts, &zone, &Announced::default(), asked);
            while let Some(slot) = pricer.next_slot() {
                pricer.add(slot, None);
            }
            assert_eq!(contracts.advances(&range, &zone), pricer.finish().paid);
        }
    }

    #[test]
    fn a_time_has_the_billing_period_of_its_contract() {
        let contracts = Contracts::parse(CONTRACTS).unwrap();
        let of = |time: &str| contracts.billing_period(at(time), &Zone::UTC);
        let [from, to] = ["2025-03-17T00:00:00", "2026-03-17T00:00:00"].map(at);
        assert_eq!(of("2025-06-01T00:00:00"), Some(from..to));
        assert_eq!(of("2025-10-01T00:00:00"), None);
        assert_eq!(of("2025-01-01T00:00:00"), None);
    }
}
