//! The states of an entity become the prices of a series: each holds until the next one.

use crate::domain::time::MS_PER_HOUR;
use crate::domain::{AccountName, Decimal, EntityId, TimeRange, Timestamp};
use crate::home_assistant::error::HomeAssistantError;
use crate::ledger::contract::{Label, PriceSeries, PriceUnit, SeriesPrice};
use crate::store::{Store, StoreError};

/// A price that holds for less than this is left out: prices do not change by the second.
const SHORTEST_MS: i64 = 60_000;
/// A price that holds on is stored so often.
const AGAIN_MS: i64 = MS_PER_HOUR;

/// The prices of an entity, one after another.
#[derive(Debug)]
pub(super) struct PriceSteps {
    pub(super) entity: EntityId,
    series: Label,
    pub(super) unit: Option<PriceUnit>,
    /// Whether its history was read.
    pub(super) is_filled: bool,
    /// The price that holds, and since when that is not stored.
    holds: Option<(Timestamp, Decimal)>,
    ready: Vec<SeriesPrice>,
    /// Whether a price came that no kilowatt-hour has.
    is_refused: bool,
}

impl PriceSteps {
    /// Those of an entity; `None` if its name is too long for a series.
    pub(super) fn new(entity: &EntityId) -> Option<Self> {
        Some(Self {
            series: Label::new(entity.as_str()).ok()?,
            entity: entity.clone(),
            unit: None,
            is_filled: false,
            holds: None,
            ready: Vec::new(),
            is_refused: false,
        })
    }

    /// Whether its history can be read, and was not.
    pub(super) fn is_due(&self) -> bool {
        self.unit.is_some() && !self.is_filled
    }

    /// Where the stored prices end; `None` without any. Blocks.
    pub(super) fn stored_until(
        &self,
        store: &Store,
        account: &AccountName,
    ) -> Result<Option<Timestamp>, StoreError> {
        let all = store.series(account)?;
        let mut own = all.into_iter().filter(|it| it.name.is_same(&self.series));
        Ok(own.next().map(|it| it.end))
    }

    /// The last stored price goes on to hold. Blocks.
    pub(super) fn resume(
        &mut self,
        store: &Store,
        account: &AccountName,
        until: Timestamp,
    ) -> Result<(), StoreError> {
        let last = TimeRange::at(until.saturating_add_millis(-1));
        let stored = store.prices(account, &self.series, last)?;
        let price = stored.at(last.start()).map(|it| it.price);
        self.holds = price.map(|price| (until, price));
        Ok(())
    }

    /// A state holds from a time on. Earlier ones that are stored stay.
    pub(super) fn put(&mut self, time: Timestamp, value: f64) {
        let Some(unit) = &self.unit else {
            return;
        };
        let Some(price) = unit.price(&value.to_string()) else {
            self.is_refused = true;
            return;
        };
        match self.holds {
            Some((_, known)) if known == price => {}
            Some((since, _)) if time.millis() - since.millis() < SHORTEST_MS => {
                self.holds = Some((since, price));
            }
            Some(_) => {
                self.end(time);
                self.holds = Some((time, price));
            }
            None => self.holds = Some((time, price)),
        }
    }

    /// The price of a whole hour, as a statistic has it.
    pub(super) fn put_hour(&mut self, start: Timestamp, mean: f64) {
        self.put(start, mean);
        self.end(start.saturating_add_millis(MS_PER_HOUR));
        self.holds = None;
    }

    /// The price that holds is known until a time.
    pub(super) fn end(&mut self, time: Timestamp) {
        if let Some((since, price)) = self.holds
            && since < time
        {
            self.ready.push(SeriesPrice {
                from: since,
                to: time,
                price,
            });
            self.holds = Some((time, price));
        }
    }

    /// Ends the price that holds if it was not stored for a while.
    pub(super) fn end_if_old(&mut self, now: Timestamp) {
        let is_old = |since: Timestamp| now.millis() - since.millis() >= AGAIN_MS;
        if self.holds.is_some_and(|(since, _)| is_old(since)) {
            self.end(now);
        }
    }

    /// The faults of prices that came since the last question.
    pub(super) fn refusal(&mut self) -> Option<String> {
        std::mem::take(&mut self.is_refused).then(|| {
            format!(
                "{} told a price that no kilowatt-hour has; check its unit there",
                self.entity
            )
        })
    }

    /// Stores what is ready. Blocks.
    pub(super) fn store(
        &mut self,
        store: &Store,
        account: &AccountName,
    ) -> Result<(), HomeAssistantError> {
        let ready = std::mem::take(&mut self.ready);
        if ready.is_empty() {
            return Ok(());
        }
        let registry = store.registry();
        let known = registry.series_name(account, &self.series);
        let name = known.unwrap_or(&self.series).clone();
        let prices = PriceSeries::new(name, ready);
        let prices = prices.map_err(|error| HomeAssistantError::Store(error.to_string()))?;
        let currency = self.unit.as_ref().and_then(PriceUnit::currency);
        let stored = store.put_prices_durably(account, &prices.in_currency(currency));
        let stored = stored.map(drop);
        stored.map_err(|error| HomeAssistantError::Store(error.to_string()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn steps(unit: &str) -> PriceSteps {
        let entity = EntityId::new("sensor.price").unwrap();
        let mut steps = PriceSteps::new(&entity).unwrap();
        steps.unit = unit.parse().ok();
        steps
    }

    fn at(minute: i64) -> Timestamp {
        Timestamp::from_millis(minute * 60_000).unwrap()
    }

    /// The ready prices: from, to, and the price.
    fn ready(steps: &PriceSteps) -> Vec<(i64, i64, String)> {
        let minute = |time: Timestamp| time.millis() / 60_000;
        let all = steps.ready.iter();
        all.map(|it| (minute(it.from), minute(it.to), it.price.to_string()))
            .collect()
    }

    #[test]
    fn a_price_holds_until_the_next_one() {
        let mut steps = steps("ct/kWh");
        steps.put(at(0), 30.5);
        steps.put(at(10), 30.5);
        steps.put(at(60), 25.0);
        // A moment of another price is none.
        steps.put(at(90), 1.0);
        steps.put(Timestamp::from_millis(90 * 60_000 + 500).unwrap(), 26.0);
        steps.end_if_old(at(100));
        let expected = [(0, 60, "0.305".to_owned()), (60, 90, "0.25".to_owned())];
        assert_eq!(ready(&steps), expected);
        steps.end_if_old(at(150));
        steps.end(at(155));
        let rest = [(90, 150, "0.26".to_owned()), (150, 155, "0.26".to_owned())];
        assert_eq!(ready(&steps)[2..], rest);
    }

    #[test]
    fn units_are_those_of_a_kilowatt_hour() {
        for (unit, value, price) in [
            ("EUR/kWh", 0.3215, "0.3215"),
            ("EUR/MWh", -42.09, "-0.04209"),
            ("ct/kWh", 13.0, "0.13"),
        ] {
            let mut steps = steps(unit);
            steps.put_hour(at(60), value);
            assert_eq!(ready(&steps), [(60, 120, price.to_owned())], "{unit}");
        }
        for value in [f64::NAN, f64::INFINITY, 1e300] {
            let mut steps = steps("EUR/kWh");
            steps.put_hour(at(60), value);
            assert_eq!(ready(&steps), []);
        }
        let mut unknown = steps("W");
        unknown.put_hour(at(60), 1.0);
        assert_eq!(ready(&unknown), []);
    }
}
