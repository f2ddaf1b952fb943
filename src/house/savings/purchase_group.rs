//! Purchases that the same savings pay for, and from when on these are known.

use super::amounts::{DAYS_A_YEAR, days_between, times};
use crate::domain::{Decimal, LocalDate, Timestamp};
use crate::house::known_year::begin_of;
use crate::house::scenario::HouseWithout;
use crate::house::sensors::{HouseSensor, HouseSensors};
use crate::ledger::{Purchase, PurchaseKind};

/// The purchases that the same savings pay for.
pub(super) struct PurchaseGroup<'a> {
    pub(super) by: HouseWithout,
    pub(super) purchases: Vec<&'a Purchase>,
}

/// From when on savings are known: readings, and prices.
#[derive(Clone, Copy)]
pub(super) struct KnownSavings {
    pub(super) from: Timestamp,
    /// The same of all its parts: a battery that came later did not save before.
    pub(super) whole_from: Timestamp,
}

impl<'a> PurchaseGroup<'a> {
    pub(super) fn of(purchases: &[&'a Purchase]) -> Vec<Self> {
        let group = |by: HouseWithout, kind: PurchaseKind| Self {
            by,
            purchases: purchases
                .iter()
                .filter(|one| one.terms().kind == kind)
                .copied()
                .collect(),
        };
        let mut groups = vec![
            group(HouseWithout::Panels, PurchaseKind::Panels),
            group(HouseWithout::Battery, PurchaseKind::Battery),
        ];
        groups.retain(|group| !group.purchases.is_empty());
        let is_all = |group: &Self| group.purchases.len() == purchases.len();
        if !purchases.is_empty() && !groups.iter().any(is_all) {
            groups.push(Self {
                by: HouseWithout::Both,
                purchases: purchases.to_vec(),
            });
        }
        groups
    }

    pub(super) fn since(&self) -> Option<LocalDate> {
        self.purchases.iter().map(|one| one.terms().date).min()
    }

    pub(super) fn sum(&self, of: impl Fn(&Purchase) -> Decimal) -> Decimal {
        let amounts = self.purchases.iter().map(|one| of(one));
        amounts.fold(Decimal::ZERO, Decimal::saturating_add)
    }

    /// The costs of the purchases until a day, besides their prices.
    pub(super) fn costs_until(&self, today: LocalDate) -> Decimal {
        self.sum(|one| {
            let passed = days_between(one.terms().date, today).max(0);
            times(one.terms().costs_per_year, (passed, DAYS_A_YEAR))
        })
    }

    /// From when on its savings are known, if prices are from a time on; `None` if no sensor
    /// measures its parts.
    pub(super) fn known(
        &self,
        house: &HouseSensors,
        priced_from: Timestamp,
    ) -> Option<KnownSavings> {
        let from = begin_of(house, HouseSensor::is_import)?.max(priced_from);
        let parts = [HouseWithout::Panels, HouseWithout::Battery].into_iter();
        let own = parts.filter(|part| self.by == HouseWithout::Both || *part == self.by);
        let begins = own.filter_map(|part| begin_of(house, |it| part.is_measured_by(it)));
        let begins: Vec<Timestamp> = begins.collect();
        Some(KnownSavings {
            from: from.max(begins.iter().copied().min()?),
            whole_from: from.max(begins.into_iter().max()?),
        })
    }
}
