//! The check of price series.

use std::collections::BTreeMap;

use crate::domain::Timestamp;
use crate::locks::read;
use crate::store::backend::Findings;
use crate::store::embedded::state::Shared;
use crate::store::error::StoreError;
use crate::store::prices::{PriceChunk, SeriesSlot};
use crate::store::records::{RecordKind, RecordsView as _};
use crate::store::registry::Registry;

impl Shared {
    /// Checks that every chunk of prices is valid, follows the one before, and belongs to a known
    /// series, with the right number of prices.
    pub(super) fn check_prices(&self, findings: &mut Findings) -> Result<(), StoreError> {
        // Keeps prices from changing meanwhile; they take some megabytes at most.
        let _placed = read(&self.swap);
        let series = Registry::load(&self.facts)?.0.series;
        let mut found = BTreeMap::<SeriesSlot, u64>::new();
        let mut last: Option<(SeriesSlot, Timestamp)> = None;
        for (key, value) in self.facts.all(RecordKind::Prices)? {
            let shown = key.escape_ascii().to_string();
            let of = SeriesSlot::of_chunk_key(&key);
            let Some((of, chunk)) = of.zip(PriceChunk::of(key.clone(), &value)) else {
                findings.add(format!("the prices {shown} are damaged"));
                continue;
            };
            let (of, begin) = of;
            if last.is_some_and(|(last, end)| last == of && end > begin) {
                findings.add(format!("the prices {shown} overlap those before them"));
            }
            let end = chunk.prices.last().map_or(begin, |price| price.to);
            last = Some((of.clone(), end));
            *found.entry(of).or_default() += chunk.prices.len() as u64;
        }
        for (account, all) in series {
            for (name, known) in all {
                let (account, slot) = (account.clone(), known.slot);
                let count = found.remove(&SeriesSlot { account, slot }).unwrap_or(0);
                if count != known.count {
                    findings.add(format!(
                        "the price series {name} has {count} prices instead of {}",
                        known.count
                    ));
                }
            }
        }
        for of in found.keys() {
            let key = of.key();
            findings.add(format!(
                "prices belong to an unknown series {}",
                key.escape_default()
            ));
        }
        Ok(())
    }
}
