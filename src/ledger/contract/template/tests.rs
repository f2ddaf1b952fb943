//! The templates, and the worked example of each.

use std::collections::BTreeMap;

use serde::Deserialize;

use super::*;
use crate::domain::time::MS_PER_MINUTE;
use crate::domain::{Decimal, MicroWh, TimeRange, Timestamp, Zone};
use crate::ledger::contract::{
    Announced, Contracts, DayList, DayLists, Label, MeteredEnergy, PriceLength, PriceSeries, Pricer,
};
use crate::ledger::house::MeasuredSlot;
use crate::ledger::statement::{CostStatement, TouchCount};
use crate::ledger::stretch::Flow;

/// A worked example; `contracts/README.md` describes it.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Example {
    template: String,
    zone: String,
    from: String,
    to: String,
    #[serde(default, rename = "source")]
    _source: Option<String>,
    /// The contracts after that of the template.
    #[serde(default)]
    then: Vec<Box<RawValue>>,
    load: Vec<Load>,
    #[serde(default)]
    prices: BTreeMap<String, Box<RawValue>>,
    #[serde(default)]
    days: BTreeMap<String, BTreeMap<String, String>>,
    computation: Vec<String>,
    lines: Vec<ExampleLine>,
    total: String,
    #[serde(default)]
    paid: Option<String>,
    #[serde(default)]
    balance: Option<String>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Load {
    from: String,
    to: String,
    #[serde(default)]
    import_kw: Option<String>,
    #[serde(default)]
    export_kw: Option<String>,
    #[serde(default)]
    sensors: BTreeMap<String, String>,
}

#[derive(Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
struct ExampleLine {
    kind: String,
    name: String,
    part: String,
    quantity: String,
    unit: String,
    amount: String,
}

/// A time with an offset from UTC, such as `2024-04-10T18:00:00+02:00`.
fn time(text: &str) -> Timestamp {
    let (local, offset) = match text.strip_suffix('Z') {
        Some(local) => (local, "+00:00"),
        None => text.split_at(text.len() - 6),
    };
    let local = Timestamp::parse(local).unwrap_or_else(|_| panic!("{text}"));
    let minutes: i64 =
        offset[1..3].parse::<i64>().unwrap() * 60 + offset[4..].parse::<i64>().unwrap();
    let sign = if offset.starts_with('-') { -1 } else { 1 };
    local.saturating_add_millis(-sign * minutes * MS_PER_MINUTE)
}

/// The energy of a power between two times.
fn energy(kilowatts: Option<&String>, ms: i64) -> MicroWh {
    let power = kilowatts.map_or(Decimal::ZERO, |text| Decimal::parse(text).unwrap());
    let of_an_hour = i128::from(MicroWh::of_kilowatthours(power).millionths());
    MicroWh::new(i64::try_from(of_an_hour * i128::from(ms) / 3_600_000).unwrap())
}

impl Example {
    fn announced(&self) -> Announced {
        let label = |text: &String| Label::new(text).unwrap();
        let series = self.prices.iter().map(|(name, prices)| {
            PriceSeries::parse_json(label(name), prices.get(), (None, PriceLength::UntilNext))
                .unwrap()
        });
        let days = self.days.iter().map(|(name, days)| {
            let day =
                |(date, kind): (&String, &String)| (LocalDate::parse(date).unwrap(), label(kind));
            DayList::new(label(name), days.iter().map(day).collect())
        });
        Announced {
            series: series.collect(),
            days: DayLists::new(days.collect()),
            ..Announced::default()
        }
    }

    fn statement(&self, contract: &Contract) -> CostStatement {
        let zone = Zone::parse(&self.zone).unwrap();
        let [from, to] =
            [&self.from, &self.to].map(|date| LocalDate::parse(date).unwrap().start(&zone));
        let range = TimeRange::new(from, to).unwrap();
        let then = self
            .then
            .iter()
            .map(|text| Contract::parse(text.get()).unwrap());
        let contracts = [contract.clone()].into_iter().chain(then).collect();
        let contracts = Contracts::new(contracts).unwrap();
        let mut pricer = Pricer::new(&contracts, &zone, &self.announced(), range);
        let sensors = pricer.sensors().to_vec();
        let mut loads: Vec<(Timestamp, Timestamp, &Load)> = Vec::new();
        for load in &self.load {
            loads.push((time(&load.from), time(&load.to), load));
        }
        while let Some(slot) = pricer.next_slot() {
            let load = loads
                .iter()
                .find(|(from, to, _)| *from <= slot.from() && slot.from() < *to);
            let next = loads
                .iter()
                .map(|(from, ..)| *from)
                .find(|from| slot.from() < *from);
            let end = load.map(|(_, to, _)| *to).or(next).unwrap_or(slot.to());
            let slot = slot.until(end);
            let ms = slot.to().millis() - slot.from().millis();
            let known = load.map(|(.., load)| MeteredEnergy {
                named: sensors
                    .iter()
                    .map(|id| energy(load.sensors.get(id.as_str()), ms))
                    .collect(),
                ..MeteredEnergy::of_house(Some(Flow {
                    imported: energy(load.import_kw.as_ref(), ms),
                    exported: energy(load.export_kw.as_ref(), ms),
                }))
            });
            let nothing = MeteredEnergy {
                named: vec![MicroWh::ZERO; sensors.len()],
                ..MeteredEnergy::default()
            };
            pricer.add_known(slot, &known.unwrap_or(nothing));
        }
        let known = MeasuredSlot {
            flow: Some(Flow::default()),
            ..MeasuredSlot::default()
        };
        let currency = Some(contract.currency().clone());
        CostStatement::of(
            range,
            currency,
            pricer.finish(),
            known,
            TouchCount::default(),
        )
    }
}

#[test]
fn each_template_is_a_contract_with_a_right_example() {
    let names = |dir: &Dir<'_>| -> Vec<String> {
        let files = dir
            .files()
            .filter_map(|file| file.path().file_name()?.to_str()?.strip_suffix(".json"));
        let mut names: Vec<String> = files.map(str::to_owned).collect();
        names.sort();
        names
    };
    let examples = FILES.get_dir("examples").unwrap();
    assert_eq!(names(&FILES), names(examples));
    assert!(ALL.len() >= 15 && ALL.len() == names(&FILES).len());
    for file in FILES
        .files()
        .filter(|file| file.path().extension().is_some_and(|it| it == "json"))
    {
        let id = file.path().file_stem().unwrap().to_str().unwrap();
        let template: TemplateFile = serde_json::from_str(file.contents_utf8().unwrap())
            .unwrap_or_else(|error| panic!("{id}: {error}"));
        let contract = Contract::parse(template.contract.get())
            .unwrap_or_else(|error| panic!("{id}: {error}"));
        assert_eq!(
            Contract::parse(&contract.to_string()).as_ref(),
            Ok(&contract),
            "{id}"
        );
        assert!(
            id.starts_with(&template.country.as_str().to_lowercase()),
            "{id}"
        );
        let url = &template.source.url;
        assert!(!template.about.is_empty(), "{id}");
        // Made-up prices have no source, but placeholders.
        let is_made_up = url.is_empty() && template.params.iter().any(TariffParam::is_own);
        assert!(url.starts_with("https://") || is_made_up, "{id}");
        let example = FILES.get_file(format!("examples/{id}.json")).unwrap();
        let example: Example = serde_json::from_str(example.contents_utf8().unwrap())
            .unwrap_or_else(|error| panic!("{id}: {error}"));
        assert_eq!(example.template, id);
        assert!(!example.computation.is_empty(), "{id}");
        let statement = example.statement(&contract);
        let lines = statement
            .rows()
            .into_iter()
            .take(statement.bill.lines.len());
        let lines: Vec<ExampleLine> = lines
            .map(
                |[kind, _, _, name, part, quantity, unit, _, amount]| ExampleLine {
                    kind,
                    name,
                    part,
                    quantity,
                    unit,
                    amount,
                },
            )
            .collect();
        assert_eq!(lines, example.lines, "{id}");
        assert_eq!(statement.bill.total.to_string(), example.total, "{id}");
        let told = |amount: Option<Decimal>| amount.map(|amount| amount.to_string());
        assert_eq!(told(statement.bill.paid), example.paid, "{id}");
        assert_eq!(told(statement.bill.balance()), example.balance, "{id}");
    }
}
