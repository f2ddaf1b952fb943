//! A bill of the utility that a person entered, beside the statement of its range.

use std::collections::BTreeMap;

use serde::Serialize;

use super::drift::Drift;
use crate::domain::{Decimal, MicroWh, TimeRange};
use crate::ledger::contract::{BillLine, Label, LineKind};
use crate::ledger::statement::CostStatement;

/// A bill as a person entered it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EnteredBill {
    /// The range that it bills, without its end.
    pub range: TimeRange,
    /// The consumption, if the bill has it.
    pub energy: Option<MicroWh>,
    /// The amount to pay.
    pub total: Decimal,
    /// As many of its lines as were entered.
    pub lines: Vec<EnteredLine>,
}

impl EnteredBill {
    /// Whether another bill seems to be the same one: of the same range, or of the same total in a
    /// part of it.
    #[must_use]
    pub fn seems_to_be(&self, other: &Self) -> bool {
        let (own, its) = (self.range, other.range);
        let overlaps = own.start() < its.end() && its.start() < own.end();
        own == its || overlaps && self.total == other.total
    }
}

/// A line of a bill as a person entered it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct EnteredLine {
    /// The name of a zone, a tier, a month or a component, or the word for its kind: it selects the
    /// lines of the statement to compare with.
    pub name: Label,
    /// Its amount; of a credit it is negative.
    pub amount: Decimal,
}

/// An amount of a bill beside the statement's.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ComparedAmount {
    /// Its name.
    pub name: String,
    /// The amount on the bill; `None` if it has no such line.
    pub billed: Option<Decimal>,
    /// The amount on the statement; `None` if it has no such line, or an unknown amount.
    pub computed: Option<Decimal>,
}

/// A bill beside the statement.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ComparedBill {
    /// First the bill's lines as entered, then the lines that only the statement has.
    pub lines: Vec<ComparedAmount>,
    /// The totals.
    pub total: ComparedAmount,
    /// How far the ledger's energy is off; `None` if either is not known.
    pub energy: Option<Drift>,
}

/// Words for a line of the statement: for its kind, and for its zone, tier or month, if it has one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LineWords {
    /// For its kind, such as `energy`.
    pub kind: String,
    /// For its part, such as `night`.
    pub part: Option<String>,
}

/// A line of the statement, and its name.
struct NamedLine {
    /// Its component, and the zone, tier or month.
    title: String,
    /// In lower case, each with its rank. The most precise one holds, which has the lowest rank: a
    /// zone may be called like another component.
    names: Vec<(u8, String)>,
    is_tax: bool,
    amount: Decimal,
}

impl ComparedAmount {
    /// The statement's amount less the bill's; `None` if either is missing.
    #[must_use]
    pub fn difference(&self) -> Option<Decimal> {
        let (computed, billed) = (self.computed?.millionths(), self.billed?.millionths());
        Some(Decimal::from_millionths(computed.saturating_sub(billed)))
    }
}

impl EnteredBill {
    /// The most lines that are entered.
    pub const MOST_LINES: usize = 64;
    /// The longest range, in milliseconds: 800 days.
    pub const LONGEST_MS: i64 = 800 * 86_400_000;

    /// Lays the bill beside the statement of its range, line by line.
    ///
    /// An entered line matches all lines of the statement that it names and that no line before it
    /// named. `words` gives the words for a line; lines that only the statement has are called by
    /// the first ones.
    #[must_use]
    pub fn compare(
        &self,
        statement: &CostStatement,
        words: impl Fn(&BillLine) -> Vec<LineWords>,
    ) -> ComparedBill {
        let lines = statement.bill.lines.iter();
        let lines = lines.map(|line| NamedLine::of(line, &words(line)));
        let mut left: Vec<NamedLine> = lines.collect();
        let mut lines = Vec::with_capacity(self.lines.len());
        for entered in &self.lines {
            let computed = take(&mut left, entered.name.as_str());
            lines.push(ComparedAmount {
                name: entered.name.to_string(),
                billed: Some(entered.amount),
                computed,
            });
        }
        lines.extend(of_statement_alone(left));
        let imported = statement.energy.map(|flow| flow.imported);
        ComparedBill {
            lines,
            total: ComparedAmount {
                name: "total".to_owned(),
                billed: Some(self.total),
                computed: statement.total(),
            },
            energy: imported
                .zip(self.energy)
                .map(|(ledger, billed)| Drift::of(ledger, billed)),
        }
    }
}

impl NamedLine {
    fn of(line: &BillLine, words: &[LineWords]) -> Self {
        let titled = |words: &LineWords, between: &str| {
            let component = line
                .name
                .as_ref()
                .map_or(words.kind.as_str(), Label::as_str);
            match &words.part {
                Some(part) => format!("{component}{between}{part}"),
                None => component.to_owned(),
            }
        };
        let mut names: Vec<(u8, String)> = Vec::new();
        for words in words {
            let joined = [" ", ": "].map(|between| (0, titled(words, between)));
            let part = words.part.clone().map(|part| (1, part));
            let own = line.name.as_ref().map(|name| (2, name.to_string()));
            let all = part.into_iter().chain(own).chain([(3, words.kind.clone())]);
            names.extend(joined.into_iter().chain(all));
        }
        let names = names
            .into_iter()
            .map(|(rank, name)| (rank, as_typed(&name)));
        Self {
            names: names.collect(),
            title: words
                .first()
                .map(|words| titled(words, " "))
                .unwrap_or_default(),
            is_tax: line.kind == LineKind::Tax,
            amount: line.amount,
        }
    }
}

/// A name in lower case, with the white space that a keyboard has: pages group digits by narrow
/// spaces.
fn as_typed(name: &str) -> String {
    let plain = |c: char| if c.is_whitespace() { ' ' } else { c };
    name.to_lowercase().chars().map(plain).collect()
}

/// Takes the lines that `name` names out of those that are left, and adds them up.
fn take(left: &mut Vec<NamedLine>, name: &str) -> Option<Decimal> {
    let name = as_typed(name.trim());
    let meant_by = |name: &str, only_taxes: bool| {
        let lines = left.iter().filter(|line| line.is_tax || !only_taxes);
        let names = lines.flat_map(|line| &line.names);
        let fitting = names.filter(|(_, own)| own == name);
        let meant = fitting.min_by_key(|(rank, _)| *rank)?;
        Some((meant.clone(), only_taxes))
    };
    let whole = meant_by(&name, false);
    let (meant, only_taxes) = whole.or_else(|| meant_by(without_percent(&name)?, true))?;
    let is_named =
        |line: &mut NamedLine| (line.is_tax || !only_taxes) && line.names.contains(&meant);
    let amounts = left.extract_if(.., is_named).map(|line| line.amount);
    amounts.reduce(Decimal::saturating_add)
}

/// A name without the rate at its end: bills call a tax `VAT 19 %` or `VAT (19 %)`.
fn without_percent(name: &str) -> Option<&str> {
    let rate = name.strip_suffix(')').unwrap_or(name);
    let number = rate.strip_suffix('%')?.trim_end();
    let before = number.trim_end_matches(|c: char| c.is_ascii_digit() || matches!(c, '.' | ','));
    (before.len() < number.len()).then(|| before.trim_end_matches([' ', '(']))
}

/// The lines that no line of the bill named, merged by name, in their order.
fn of_statement_alone(left: Vec<NamedLine>) -> Vec<ComparedAmount> {
    let mut places = BTreeMap::<String, usize>::new();
    let mut lines: Vec<ComparedAmount> = Vec::new();
    for line in left {
        let place = *places.entry(line.title.clone()).or_insert(lines.len());
        match lines.get_mut(place) {
            Some(same) => {
                let sum = same.computed.unwrap_or_default();
                same.computed = Some(sum.saturating_add(line.amount));
            }
            None => lines.push(ComparedAmount {
                name: line.title,
                billed: None,
                computed: Some(line.amount),
            }),
        }
    }
    lines
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::{Timestamp, Zone};
    use crate::ledger::contract::{Announced, Contracts};
    use crate::ledger::house::MeasuredSlot;
    use crate::ledger::statement::TouchCount;
    use crate::ledger::stretch::Flow;

    fn decimal(text: &str) -> Decimal {
        Decimal::parse(text).unwrap()
    }

    /// A kilowatt for a day: 16 kWh by day and 8 by night.
    fn statement(is_known: bool) -> CostStatement {
        let contracts = Contracts::parse(
            r#"[{"from":"2026-01-01","name":"Day and night","currency":"EUR","components":[
                {"energy":{"name":"supply","zones":[{"name":"day","price":0.35},{"name":"night","price":0.25,"hours":"22:00-06:00"}]}},
                {"energy":{"name":"grid","price":0.1}},
                {"fixed":{"name":"standing charge","price":0.4,"per":"day"}},
                {"tax":{"name":"VAT","percent":10}}]}]"#,
        );
        let [from, to] =
            ["2026-01-05", "2026-01-06"].map(|date| Timestamp::parse_date(date).unwrap());
        let range = TimeRange::new(from, to).unwrap();
        CostStatement::new(
            &contracts.unwrap(),
            &Zone::UTC,
            &Announced::default(),
            range,
            TouchCount::default(),
            |slot| {
                let hours = (slot.to().millis() - slot.from().millis()) / 3_600_000;
                let imported = MicroWh::new(hours * 1_000_000_000);
                MeasuredSlot {
                    flow: is_known.then_some(Flow {
                        imported,
                        ..Flow::default()
                    }),
                    ..MeasuredSlot::default()
                }
            },
        )
    }

    fn compared(lines: &[(&str, &str)], statement: &CostStatement) -> (Vec<String>, ComparedBill) {
        let line = |&(name, amount): &(&str, &str)| EnteredLine {
            name: Label::new(name).unwrap(),
            amount: decimal(amount),
        };
        let bill = EnteredBill {
            range: statement.range,
            energy: Some(MicroWh::new(25_000_000_000)),
            total: decimal("12"),
            lines: lines.iter().map(line).collect(),
        };
        let found = bill.compare(statement, |line| {
            let of = |kind: &str| LineWords {
                kind: kind.to_owned(),
                part: line.part.as_ref().map(ToString::to_string),
            };
            vec![of(line.kind.as_str())]
        });
        let told =
            |amount: Option<Decimal>| amount.map_or("-".to_owned(), |amount| amount.to_string());
        let line = |line: &ComparedAmount| {
            format!(
                "{}: {} {} {}",
                line.name,
                told(line.billed),
                told(line.computed),
                told(line.difference())
            )
        };
        (
            found.lines.iter().chain([&found.total]).map(line).collect(),
            found,
        )
    }

    #[test]
    fn lines_are_found_by_name() {
        // The worked example of docs/HOUSE.md.
        let known = statement(true);
        let (lines, bill) = compared(
            &[
                ("Night", "2.25"),
                ("supply day", "5.6"),
                ("metering", "1.5"),
                ("vat", "1"),
            ],
            &known,
        );
        assert_eq!(
            lines,
            [
                "Night: 2.25 2 -0.25",
                "supply day: 5.6 5.6 0",
                "metering: 1.5 - -",
                "vat: 1 1.04 0.04",
                "grid: - 2.4 -",
                "standing charge: - 0.4 -",
                "total: 12 11.44 -0.56",
            ]
        );
        assert_eq!(
            bill.energy,
            Some(Drift {
                energy: MicroWh::new(-1_000_000_000),
                percent: Some(decimal("-4"))
            })
        );
        // All zones of a component, and all energy.
        assert_eq!(
            compared(&[("supply", "7")], &known).0[0],
            "supply: 7 7.6 0.6"
        );
        for name in ["VAT 10 %", "VAT (10%)", "tax 10.0%"] {
            let (lines, _) = compared(&[(name, "1")], &known);
            assert_eq!(lines[0], format!("{name}: 1 1.04 0.04"));
        }
        for name in ["VAT %", "10 %", "%", "VAT 10", "supply 10 %"] {
            let (lines, _) = compared(&[(name, "1")], &known);
            assert_eq!(lines[0], format!("{name}: 1 - -"));
        }
        let (lines, _) = compared(&[("energy", "10"), ("grid", "2")], &known);
        assert_eq!(lines[..2], ["energy: 10 10 0", "grid: 2 - -"]);
    }

    #[test]
    fn lines_of_one_name_are_put_together() {
        let mut twice = statement(true);
        twice.bill.lines.extend(twice.bill.lines.clone());
        let (lines, _) = compared(&[("supply night", "4"), ("grid", "4.8")], &twice);
        assert_eq!(
            lines,
            [
                "supply night: 4 4 0",
                "grid: 4.8 4.8 0",
                "supply day: - 11.2 -",
                "standing charge: - 0.8 -",
                "VAT: - 2.08 -",
                "total: 12 11.44 -0.56",
            ]
        );
    }

    #[test]
    fn what_is_not_known_has_no_difference() {
        let (lines, bill) = compared(&[("grid", "2.4")], &statement(false));
        assert_eq!(
            lines,
            [
                "grid: 2.4 - -",
                "standing charge: - 0.4 -",
                "VAT: - 0.04 -",
                "total: 12 - -"
            ]
        );
        assert_eq!(bill.energy, None);
    }
}
