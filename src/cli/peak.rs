//! `wattkeeper peak`: the running span of each demand charge.

use anyhow::{Result, bail};
use clap::Args;

use super::args::Global;
use super::output::{aligned, print_json, print_line};
use crate::admin::{LedgerRequest, Request};
use crate::house::{DemandRow, PeakAnswer};

/// The running quarter of an hour, and the peak of the month
///
/// Where the contract prices the demand: the energy of the running span so far, its likely end, the power
/// that is left, the peak so far, and the cost of one kilowatt more. docs/HOUSE.md has the rules.
#[derive(Args)]
pub(super) struct PeakArgs {
    /// The account, if there are several
    #[arg(long, value_name = "NAME")]
    account: Option<String>,
}

impl PeakArgs {
    pub(super) fn run(self, global: &Global) -> Result<()> {
        let request = Request::Ledger(LedgerRequest::Peak(self.account));
        let found: Box<PeakAnswer> = global.ask(request)?;
        if global.json {
            return print_json(&found);
        }
        if found.demands.is_empty() {
            bail!(
                "no contract in force has a demand charge, or no sensor measures what the house draws; `wattkeeper contract list` shows the contracts"
            );
        }
        let currency = found.currency.as_deref().unwrap_or_default();
        for demand in &found.demands {
            print_line(&head(demand))?;
            print_line(&table(demand, currency))?;
        }
        Ok(())
    }
}

/// The name of a charge, its running span, and whether that counts.
fn head(demand: &DemandRow) -> String {
    let name = demand.name.as_deref().unwrap_or("demand");
    let (from, to) = (&demand.from, &demand.to);
    let note = match (demand.counts, demand.new_peak) {
        (false, _) => ", which does not count",
        (true, true) => ", likely a new peak",
        (true, false) => "",
    };
    format!("{name}: {from} to {to}{note}")
}

fn table(demand: &DemandRow, currency: &str) -> String {
    let kilowatts = |watts: Option<f64>| watts.map(|watts| (watts / 1_000.0, "kW"));
    let numbers = [
        (
            "energy so far",
            demand.energy.map(|it| (it / 1_000.0, "kWh")),
        ),
        ("likely mean power", kilowatts(demand.likely)),
        ("power left", kilowatts(demand.left)),
        ("peak so far", kilowatts(demand.peak)),
        ("usual peak", kilowatts(demand.usual)),
        ("lowest billed peak", kilowatts(demand.least)),
        ("level", kilowatts(Some(demand.level))),
    ];
    let numbers = numbers.into_iter().map(|(name, value)| {
        let (value, unit) = value.map_or(("-".to_owned(), ""), |(value, unit)| {
            (format!("{value:.3}"), unit)
        });
        vec![name.to_owned(), value, unit.to_owned()]
    });
    let amount =
        |name: &str, amount: &str| vec![name.to_owned(), amount.to_owned(), currency.to_owned()];
    let rise = demand.rise.as_deref().unwrap_or("-");
    let amounts = [
        amount("cost of the likely end", rise),
        amount("one kilowatt more", &demand.kilowatt),
    ];
    let head = ["what", "value", "unit"].map(str::to_owned);
    aligned(&head, numbers.chain(amounts).collect())
}
