//! A bill of the utility that a person entered, beside the statement of its range.

use super::drift::Drift;
use crate::domain::{Decimal, MicroWh, TimeRange};
use crate::ledger::CostStatement;
use crate::ledger::contract::{BillLine, Label};

/// A bill as a person entered it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EnteredBill {
    /// The range that it bills, without its end.
    pub range: TimeRange,
    /// What was drawn, if it says so.
    pub energy: Option<MicroWh>,
    /// What is to be paid.
    pub total: Decimal,
    /// As many of its lines as were entered.
    pub lines: Vec<EnteredLine>,
}

/// A line of a bill as a person entered it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EnteredLine {
    /// The name of a zone, a tier, a month, or a component, or the word for its kind: of what the statement is to lay beside it.
    pub name: Label,
    /// Its amount; of a credit it is negative.
    pub amount: Decimal,
}

/// An amount of a bill beside the statement's.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ComparedAmount {
    /// What it is paid for.
    pub name: String,
    /// What the bill says; `None` if it has no such line.
    pub billed: Option<Decimal>,
    /// What the statement says; `None` if it has no such line, or does not know.
    pub computed: Option<Decimal>,
}

/// A bill beside the statement.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ComparedBill {
    /// First the bill's lines as they were entered, then what only the statement has.
    pub lines: Vec<ComparedAmount>,
    /// The totals.
    pub total: ComparedAmount,
    /// How far the ledger's energy is off; `None` if either is not known.
    pub energy: Option<Drift>,
}

impl ComparedAmount {
    /// What the statement says less what the bill says; `None` if either says nothing.
    #[must_use]
    pub fn difference(&self) -> Option<Decimal> {
        let (computed, billed) = (self.computed?.millionths(), self.billed?.millionths());
        Some(Decimal::from_millionths(computed.saturating_sub(billed)))
    }
}

impl EnteredBill {
    /// Lays the bill beside the statement of its range, line by line.
    ///
    /// An entered line stands for all lines of the statement that it names and that no line before it named.
    #[must_use]
    pub fn compare(&self, statement: &CostStatement) -> ComparedBill {
        let mut left: Vec<&BillLine> = statement.bill.lines.iter().collect();
        let mut lines = Vec::with_capacity(self.lines.len());
        for entered in &self.lines {
            let computed = take(&mut left, entered.name.as_str());
            lines.push(ComparedAmount {
                name: entered.name.to_string(),
                billed: Some(entered.amount),
                computed,
            });
        }
        while let Some(line) = left.first() {
            let name = title(line);
            let (same, others) = left.iter().partition(|line| title(line) == name);
            left = others;
            lines.push(ComparedAmount {
                name,
                billed: None,
                computed: sum(&same),
            });
        }
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

/// Takes the lines that `name` names out of those that are left, and adds them up.
fn take(left: &mut Vec<&BillLine>, name: &str) -> Option<Decimal> {
    let name = name.trim().to_lowercase();
    // What names a line most precisely holds: a zone may be called like another component.
    let forms: [fn(&BillLine) -> Option<String>; 4] = [
        |line| Some(title(line)),
        |line| line.part.clone(),
        |line| line.name.as_ref().map(ToString::to_string),
        |line| Some(line.kind.as_str().to_owned()),
    ];
    forms.iter().find_map(|name_of| {
        let is_named =
            |line: &&BillLine| name_of(line).is_some_and(|own| own.to_lowercase() == name);
        let (named, others): (Vec<_>, Vec<_>) = left.iter().partition(|line| is_named(line));
        let sum = sum(&named)?;
        *left = others;
        Some(sum)
    })
}

fn sum(lines: &[&BillLine]) -> Option<Decimal> {
    let amounts = lines.iter().map(|line| line.amount);
    amounts.reduce(Decimal::saturating_add)
}

/// What a line is called: its component, and the zone, tier or month.
fn title(line: &BillLine) -> String {
    let component = line.name.as_ref().map_or(line.kind.as_str(), Label::as_str);
    match &line.part {
        Some(part) => format!("{component} {part}"),
        None => component.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::{Timestamp, Zone};
    use crate::ledger::contract::Contracts;
    use crate::ledger::house::MeasuredSlot;
    use crate::ledger::{Flow, TouchCount};

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
            &[],
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
        let found = bill.compare(statement);
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
        let (lines, _) = compared(&[("energy", "10"), ("grid", "2")], &known);
        assert_eq!(lines[..2], ["energy: 10 10 0", "grid: 2 - -"]);
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
