//! The ledger beside the rule that Home Assistant documents for `total_increasing`, over the
//! histories of a table in docs/ENERGY.md: the document's numbers are the computed ones.

use super::*;

const DOCUMENT: &str = include_str!("../../../../docs/ENERGY.md");
const HEADING: &str = "### Beside another rule";

/// Home Assistant's sum of a sensor of the class `total_increasing`: a fall of more than 10 % is a
/// restart, and the new value counts in full; a smaller one is subtracted.
fn total_increasing(values: &[f64]) -> f64 {
    let steps = values.windows(2).map(|pair| {
        let (before, after) = (pair[0], pair[1]);
        if after < 0.9 * before {
            after
        } else {
            after - before
        }
    });
    steps.sum()
}

/// The ledger's energy, and its events.
fn ledger(meter: Meter, registers: &[Register]) -> (String, String) {
    let mut flow = Flow::default();
    let mut events = Vec::new();
    let mut sink = |entry| match entry {
        Entry::Stretch(stretch) => flow = flow + stretch.flow,
        Entry::Event(event) => {
            let open = if event.is_open { ", open" } else { "" };
            events.push(format!("{}{open}", event.kind.as_str()));
        }
    };
    let mut walk = RegisterWalk::new(meter, Facts::default());
    for &register in registers {
        walk.add(register, &mut sink);
    }
    walk.finish(&mut sink);
    let [imported, exported] = [flow.imported, flow.exported].map(MicroWh::watthours);
    let counted = if exported > 0.0 {
        format!("{imported} - {exported}")
    } else {
        imported.to_string()
    };
    (counted, events.join(", "))
}

/// The rows of the table below [`HEADING`].
fn rows() -> Vec<Vec<&'static str>> {
    let (_, section) = DOCUMENT.split_once(HEADING).unwrap();
    let lines = section
        .lines()
        .skip_while(|line| !line.starts_with("| ---"));
    let rows = lines.skip(1).take_while(|line| line.starts_with('|'));
    rows.map(|row| row.trim_matches('|').split('|').map(str::trim).collect())
        .collect()
}

#[test]
fn the_documents_numbers_are_the_computed_ones() {
    let rows = rows();
    assert_eq!(rows.len(), 11);
    let mut kinds = std::collections::BTreeSet::new();
    for row in rows {
        let [what, kind, limit, values, other, counted, events] = row[..] else {
            panic!("{row:?}");
        };
        let meter = Meter {
            limit: limit.parse().unwrap(),
            rollover: what.contains("10000 Wh").then(|| "10000".parse().unwrap()),
            ..Meter::new(kind.parse().unwrap())
        };
        let values = values.split(", ").map(|value| value.parse().ok());
        let registers = (0..).zip(values).filter_map(|(minute, value)| {
            Some(Register {
                time: Timestamp::from_millis(minute * MINUTE)?,
                watthours: value?,
            })
        });
        let registers: Vec<Register> = registers.collect();
        let values: Vec<f64> = registers.iter().map(|it| it.watthours).collect();
        assert_eq!(total_increasing(&values).to_string(), other, "{what}");
        let computed = ledger(meter, &registers);
        assert_eq!(
            (computed.0.as_str(), computed.1.as_str()),
            (counted, events),
            "{what}"
        );
        kinds.extend(events.split(", ").map(str::to_owned));
    }
    // Every kind of event that registers have.
    let shown: Vec<&str> = kinds.iter().map(String::as_str).collect();
    assert_eq!(
        shown,
        [
            "", "dip", "gap", "jump", "open", "reset", "rollover", "spike"
        ]
    );
}
