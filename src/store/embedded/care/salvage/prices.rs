//! Rescue of price series, chunk by chunk.

use std::collections::BTreeMap;

use crate::ledger::contract::{Label, PriceSeries};
use crate::store::embedded::care::salvage::rescue::Rescue;
use crate::store::error::StoreError;
use crate::store::prices::{PriceChunk, SeriesSlot};
use crate::store::records::RecordKind;
use crate::store::registry::series_records::series_of;

impl Rescue<'_, '_> {
    /// Rescues all series. One whose record is lost gets a name by its slot.
    pub(super) fn prices(&mut self) -> Result<(), StoreError> {
        let mut names = BTreeMap::<SeriesSlot, Label>::new();
        for (key, value) in self.records(RecordKind::Series, "price series") {
            match series_of(&key, &value) {
                Some((series, name, _)) => drop(names.insert(series, name)),
                None => self.lose_record("price series", &key),
            }
        }
        for (key, value) in self.records(RecordKind::Prices, "prices") {
            let Some((series, from)) = SeriesSlot::of_chunk_key(&key) else {
                self.lose_record("prices", &key);
                continue;
            };
            let Some(chunk) = PriceChunk::of(key.clone(), &value) else {
                let name = names.get(&series).map(ToString::to_string);
                let name = name.unwrap_or_else(|| format!("in slot {}", series.slot));
                self.report.lose(format!(
                    "the prices of the account {}, series {name}, from {from} until the next that was saved: invalid record",
                    series.account
                ));
                continue;
            };
            let Some(name) = self.name_of(&series, &mut names) else {
                continue;
            };
            self.make_account(&series.account)?;
            let Ok(prices) = PriceSeries::new(name, chunk.prices) else {
                self.lose_record("prices", &key);
                continue;
            };
            // Chunks may overlap in a damaged store: the later one holds.
            self.import
                .store
                .put_prices_durably(&series.account, &prices)?;
        }
        Ok(())
    }

    /// The name of a series; a new one if its record is lost.
    fn name_of(
        &mut self,
        series: &SeriesSlot,
        names: &mut BTreeMap<SeriesSlot, Label>,
    ) -> Option<Label> {
        if let Some(name) = names.get(series) {
            return Some(name.clone());
        }
        let name = Label::new(&format!("salvaged-{}", series.slot)).ok()?;
        self.report.mended.push(format!(
            "a price series of the account {} whose name is lost is now called {name}",
            series.account
        ));
        names.insert(series.clone(), name.clone());
        Some(name)
    }
}
