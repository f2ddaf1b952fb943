//! Contracts that change the prices of the one before: their amounts of a period go on.

use super::{Contract, Contracts};
use crate::domain::{TimeRange, Timestamp, Zone};
use crate::ledger::contract::component::{Component, Terms};
use crate::ledger::contract::period::{Period, Periods};

impl Contract {
    /// Whether it changes the prices of the contract before it, as far as no component says
    /// otherwise. A contract that does not say it does so if both have one name.
    #[must_use]
    pub fn continues(&self, before: &Self) -> bool {
        self.continues.unwrap_or(self.name == before.name)
    }

    /// Whether it says that it continues the one before it, or does not; `None` if it says nothing.
    #[must_use]
    pub const fn stated_continues(&self) -> Option<bool> {
        self.continues
    }

    /// It with or without such a statement.
    #[must_use]
    pub fn stating_continues(self, continues: Option<bool>) -> Self {
        Self { continues, ..self }
    }

    /// It as it follows another one: it says whether it continues that.
    #[must_use]
    pub fn after(&self, before: &Self) -> Self {
        Self {
            continues: Some(self.continues(before)),
            ..self.clone()
        }
    }

    /// For each component, the place of the one in the contract before whose amounts of a period go
    /// on in it.
    pub(in crate::ledger::contract) fn continued(&self, before: &Self) -> Vec<Option<usize>> {
        let continues = self.continues(before);
        let mut left: Vec<(usize, &Component)> = before.components.iter().enumerate().collect();
        let mut place = |component: &Component| {
            let same = left.iter().position(|(_, it)| component.is_same(it))?;
            let (place, _) = left.remove(same);
            component.continues.unwrap_or(continues).then_some(place)
        };
        self.components.iter().map(&mut place).collect()
    }

    fn looks_at_others(&self) -> bool {
        self.components.iter().any(Component::looks_at_others)
    }

    /// The start of the energy that affects its amounts from `time` on: the beginning of a period.
    fn first_counted(&self, time: Timestamp, zone: &Zone) -> Timestamp {
        let periods = |period| Periods::new(period, self.billing, zone);
        let first = |all: Vec<Periods>, time| {
            let starts = all.into_iter().map(|mut it| it.containing(time).0);
            starts.fold(time, Timestamp::min)
        };
        let components = self.components.iter();
        let looking = components.clone().filter(|it| it.looks_at_others());
        let looking = looking.map(|component| match component.terms {
            Terms::Minimum { per, .. } => periods(per),
            Terms::Maximum { period, .. } => periods(period),
            _ => periods(Period::Billing),
        });
        // A charge that looks at others needs their amounts from the beginning of its own period on.
        let time = first(looking.collect(), time);
        let of_energy = components.flat_map(|component| match &component.terms {
            Terms::Energy(terms) => {
                let span = terms.netting.and_then(|it| it.period.span());
                let span = span.map(|span| Periods::of_spans(span, zone));
                terms.periods().map(periods).chain(span).collect()
            }
            Terms::Export(terms) => {
                let span = terms.netting.map(|span| Periods::of_spans(span, zone));
                terms
                    .periods()
                    .map(periods)
                    .chain(span)
                    .collect::<Vec<Periods>>()
            }
            Terms::Steps { steps, per } => vec![periods(steps.period), periods(*per)],
            _ => Vec::new(),
        });
        first(of_energy.collect(), time)
    }
}

impl Contracts {
    /// The contracts whose prices or energy affect the amounts of a range: also the one that it
    /// begins in, and those whose periods go on in that one.
    #[must_use]
    pub fn concerning(&self, range: TimeRange, zone: &Zone) -> &[Contract] {
        let (place, _) = self.counted_from(range.start(), zone);
        let concerned = self.0.get(place..).unwrap_or_default();
        let begun = concerned.partition_point(|it| it.from.start(zone) < range.end());
        concerned.get(..begun).unwrap_or_default()
    }

    /// The start of the energy that affects amounts from `time` on, and the place of the contract
    /// in force then, or of the first one.
    pub(in crate::ledger::contract) fn counted_from(
        &self,
        time: Timestamp,
        zone: &Zone,
    ) -> (usize, Timestamp) {
        let Some(mut place) = self.at(time, zone).0 else {
            return (0, time);
        };
        let mut first = time;
        let mut needed = None;
        while let Some(contract) = self.0.get(place) {
            // Contracts before only count from the time that the last one needs them.
            if needed.is_none() || contract.looks_at_others() {
                let time = needed.unwrap_or(time);
                first = first.min(contract.first_counted(time, zone));
                needed.get_or_insert(first);
            }
            let begin = contract.from.start(zone);
            let before = place.checked_sub(1).filter(|_| first < begin);
            let begins_again =
                |before: &Contract| contract.continued(before).iter().all(Option::is_none);
            if before
                .and_then(|it| self.0.get(it))
                .is_none_or(begins_again)
            {
                return (place, first.max(begin));
            }
            place -= 1;
        }
        (place, first)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn contracts(texts: &[&str]) -> Contracts {
        Contracts::parse(&format!("[{}]", texts.join(","))).unwrap()
    }

    fn continued(before: &str, after: &str) -> Vec<Option<usize>> {
        let of = |text: &str| Contract::parse(text).unwrap();
        of(after).continued(&of(before))
    }

    fn text(from: &str, name: &str, more: &str, components: &str) -> String {
        format!(
            r#"{{"from":"{from}","name":"{name}","currency":"EUR"{more},"components":[{components}]}}"#
        )
    }

    const TIERS: &str = r#"{"energy":{"name":"e","period":"year","tiers":[{"up_to_kwh":400,"price":0.9},{"price":0.1}]}}"#;

    #[test]
    fn a_contract_or_a_component_says_whether_it_continues() {
        let before = text("2026-01-01", "A", "", TIERS);
        let yes = r#","continues":true"#;
        let no = r#","continues":false"#;
        let said = TIERS.replacen(r#""name""#, r#""continues":true,"name""#, 1);
        let denied = TIERS.replacen(r#""name""#, r#""continues":false,"name""#, 1);
        for (name, more, component, goes_on) in [
            ("A", "", TIERS, true),
            ("B", "", TIERS, false),
            ("B", yes, TIERS, true),
            ("A", no, TIERS, false),
            ("B", no, &said, true),
            ("A", yes, &denied, false),
        ] {
            let after = text("2026-07-01", name, more, component);
            let found = continued(&before, &after);
            assert_eq!(found, [goes_on.then_some(0)], "{after}");
            // It is written as it is read.
            let contract = Contract::parse(&after).unwrap();
            assert_eq!(Contract::parse(&contract.to_string()), Ok(contract));
        }
    }

    #[test]
    fn a_component_goes_on_from_the_same_one() {
        let named = |name: &str| TIERS.replacen(r#""e""#, &format!(r#""{name}""#), 1);
        let plain = r#"{"energy":{"name":"e","price":0.1}}"#;
        let export = TIERS.replacen("energy", "export", 1);
        let of = TIERS.replacen(r#""name""#, r#""of":["night"],"name""#, 1);
        let before = [&named("x"), plain, TIERS, &export, TIERS].join(",");
        let before = text("2026-01-01", "A", "", &before);
        let after = [&export, TIERS, &of, TIERS, TIERS, &named("x"), plain].join(",");
        let after = text("2026-07-01", "A", "", &after);
        let expected = [Some(3), Some(2), None, Some(4), None, Some(0), None];
        assert_eq!(continued(&before, &after), expected);
    }

    #[test]
    fn energy_counts_from_the_period_of_contracts_before() {
        let start = |text: &str| {
            crate::domain::LocalDate::parse(text)
                .unwrap()
                .start(&Zone::UTC)
        };
        let of = |from: &str, name: &str, components: &str| text(from, name, "", components);
        let flat = r#"{"energy":{"name":"e","price":0.1}}"#;
        let limited = r#"{"export":{"price":0.1,"at_most":"energy"}}"#;
        for (texts, day, expected) in [
            (
                vec![of("2025-03-01", "A", TIERS)],
                "2026-05-05",
                (0, "2026-01-01"),
            ),
            (
                vec![of("2026-03-01", "A", TIERS)],
                "2026-05-05",
                (0, "2026-03-01"),
            ),
            (
                vec![
                    of("2025-03-01", "A", TIERS),
                    of("2026-03-01", "A", TIERS),
                    of("2026-05-01", "A", TIERS),
                ],
                "2026-05-05",
                (0, "2026-01-01"),
            ),
            (
                vec![
                    of("2025-03-01", "A", TIERS),
                    of("2026-03-01", "B", TIERS),
                    of("2026-05-01", "B", TIERS),
                ],
                "2026-05-05",
                (1, "2026-03-01"),
            ),
            (
                vec![of("2025-03-01", "A", flat), of("2026-03-01", "A", TIERS)],
                "2026-05-05",
                (1, "2026-03-01"),
            ),
            // A limit of a month needs the tiers of the year before it.
            (
                vec![
                    of("2025-03-01", "A", &format!("{TIERS},{limited}")),
                    of("2026-05-03", "A", &format!("{flat},{limited}")),
                ],
                "2026-05-05",
                (0, "2026-01-01"),
            ),
        ] {
            let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
            let contracts = contracts(&texts);
            let (place, first) = contracts.counted_from(start(day), &Zone::UTC);
            assert_eq!(
                (place, first),
                (expected.0, start(expected.1)),
                "{contracts}"
            );
            let end = start(day).saturating_add_millis(1);
            let range = TimeRange::new(start(day), end).unwrap();
            let concerned = contracts.concerning(range, &Zone::UTC);
            assert_eq!(concerned, &contracts.all()[expected.0..]);
        }
    }
}
