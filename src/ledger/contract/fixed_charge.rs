//! A charge for time.

use super::amount::Amount;
use super::bill::{BilledQuantity, ChargeLine, LineKind, LinePart};
use super::period::{DayShares, Period};
use crate::domain::{Decimal, SensorId, Timestamp};

/// A charge for time.
#[derive(Clone, Debug)]
pub(super) struct FixedCharge {
    price: Decimal,
    per: Period,
    shares: DayShares,
    /// The sensors that it is for.
    part: Option<LinePart>,
    amount: Amount,
    /// The number of periods, as the amount at a price of 1.
    count: Amount,
}

impl FixedCharge {
    pub(super) fn new(price: Decimal, per: Period, shares: DayShares, of: &[SensorId]) -> Self {
        let names: Vec<&str> = of.iter().map(SensorId::as_str).collect();
        Self {
            price,
            per,
            shares,
            part: (!names.is_empty()).then(|| LinePart::Named(names.join(", "))),
            amount: Amount::ZERO,
            count: Amount::ZERO,
        }
    }

    pub(super) fn until(&mut self, time: Timestamp) -> Timestamp {
        self.shares.until(time)
    }

    pub(super) fn add(&mut self, from: Timestamp, to: Timestamp) {
        let mut between = |price| self.shares.between(price, from, to);
        let (amount, count) = (between(self.price), between(Decimal::ONE));
        (self.amount, self.count) = (self.amount + amount, self.count + count);
    }

    pub(super) const fn amount(&self) -> Amount {
        self.amount
    }

    /// Starts the bill.
    pub(super) const fn start_bill(&mut self) {
        (self.amount, self.count) = (Amount::ZERO, Amount::ZERO);
    }

    pub(super) fn line(&self) -> ChargeLine {
        ChargeLine {
            kind: LineKind::Fixed,
            part: self.part.clone(),
            quantity: BilledQuantity::Time(self.count.rounded(), self.per),
            price: Some(self.price),
            amount: self.amount,
        }
    }
}
