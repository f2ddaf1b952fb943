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

    /// The beginning of the billing period of a time, if a demand charge has its peak in that period, in this
    /// contract or those before: a bill from a later time has this peak again. Otherwise the time.
    #[must_use]
    pub fn demand_from(&self, time: Timestamp, zone: &Zone) -> Timestamp {
        let (mut begin, mut asked, mut shared) = (time, time, None);
        while let Some(contract) = self.at(asked, zone).0.and_then(|at| self.all().get(at)) {
            let period = self.billing_period(asked, zone);
            let period = period.filter(|_| contract.bills_demand_by_period());
            let Some(Range { start, .. }) =
                period.filter(|it| it.start == *shared.get_or_insert(it.start))
            else {
                break;
            };
            let from = contract.from().start(zone);
            begin = start.max(from);
            if from <= start {
                break;
            }
            asked = from.saturating_add_millis(-1);
        }
        begin
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
    use crate::domain::time::at;
    use crate::domain::{LocalDate, TimeRange};
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

    #[test]
    fn a_peak_of_a_billing_period_begins_with_it() {
        let demand = r#""components":[{"demand":{"price":10,"per":"hour","period":"billing"}}]}"#;
        let contract = |from: &str, billing: &str, components: &str| {
            let head = format!(r#"{{"from":"{from}","name":"of {from}","currency":"EUR","#);
            format!(r#"{head}"billing":{{"from":"{billing}"}},{components}"#)
        };
        let by_month = demand.replace("billing", "month");
        let list = [
            contract("2025-01-01", "2025-01-10", &by_month),
            contract("2025-04-20", "2025-01-17", demand),
            contract("2025-06-01", "2025-01-17", demand),
            contract("2025-08-01", "2025-01-20", demand),
        ];
        let contracts = Contracts::parse(&format!("[{}]", list.join(","))).unwrap();
        for (time, begin) in [
            ("2024-12-01", "2024-12-01"),
            ("2025-02-01", "2025-02-01"),
            // The contract begins within its period.
            ("2025-05-01", "2025-04-20"),
            ("2025-05-20", "2025-05-17"),
            // The next one goes on with the same period.
            ("2025-06-10", "2025-05-17"),
            ("2025-07-01", "2025-06-17"),
            // This one has another.
            ("2025-08-10", "2025-08-01"),
            ("2026-01-01", "2025-12-20"),
        ] {
            let [time, begin] =
                [time, begin].map(|day| LocalDate::parse(day).unwrap().start(&Zone::UTC));
            assert_eq!(contracts.demand_from(time, &Zone::UTC), begin);
        }
    }
}
