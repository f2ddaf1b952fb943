//! The numbers of items in a store or a backup.

use serde::{Deserialize, Serialize};

use crate::domain::EntryKind;
use crate::store::registry::Registry;

/// The number of items of each kind.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct StoreCounts {
    /// Administrators: one, or none if no password was ever set.
    pub administrators: u64,
    /// Accounts.
    pub accounts: u64,
    /// Credentials.
    pub credentials: u64,
    /// Sensors.
    pub sensors: u64,
    /// Corrections. Backups of the first version do not contain them.
    #[serde(default)]
    pub corrections: u64,
    /// Contracts; as corrections.
    #[serde(default)]
    pub contracts: u64,
    /// Prices of all series; as corrections.
    #[serde(default)]
    pub prices: u64,
    /// Bills of the utility; as corrections.
    #[serde(default)]
    pub bills: u64,
    /// Days in day lists; as corrections.
    #[serde(default)]
    pub days: u64,
    /// Described formats of files; as corrections.
    #[serde(default)]
    pub formats: u64,
    /// Offers; as corrections.
    #[serde(default)]
    pub offers: u64,
    /// Purchases; as corrections.
    #[serde(default)]
    pub purchases: u64,
    /// Tenancies; as corrections.
    #[serde(default)]
    pub tenancies: u64,
    /// Home Assistants; as corrections.
    #[serde(default)]
    pub home_assistants: u64,
    /// Notices. Backups of earlier versions do not contain them.
    #[serde(default)]
    pub notices: u64,
    /// People except the administrator; as notices.
    #[serde(default)]
    pub people: u64,
    /// Wall tablets; as notices.
    #[serde(default)]
    pub tablets: u64,
    /// Settings of the service; as notices.
    #[serde(default)]
    pub settings: u64,
    /// Sensors with known arrivals.
    pub arrivals: u64,
    /// Readings.
    pub readings: u64,
}

impl StoreCounts {
    /// Counts the registry, without arrivals and readings.
    pub(crate) fn registered(registry: &Registry) -> Self {
        let mut counts = Self {
            administrators: registry.administrator().iter().count() as u64,
            accounts: registry.accounts().count() as u64,
            credentials: registry.credentials().count() as u64,
            sensors: registry.sensors().count() as u64,
            corrections: registry
                .corrections
                .values()
                .map(|all| all.count() as u64)
                .sum(),
            contracts: registry
                .contracts
                .values()
                .map(|all| all.all().len() as u64)
                .sum(),
            prices: registry
                .series
                .values()
                .flat_map(|all| all.values().map(|known| known.count))
                .sum(),
            days: registry
                .days
                .values()
                .flat_map(|all| all.values().map(|days| days.count() as u64))
                .sum(),
            notices: registry.notices().count() as u64,
            people: registry.people().count() as u64,
            tablets: registry.tablets().count() as u64,
            settings: registry.settings().len() as u64,
            ..Self::default()
        };
        for (kind, all) in &registry.entries {
            *counts.entries(*kind) = all.all().count() as u64;
        }
        counts
    }

    /// The number of entries of a kind.
    pub(crate) const fn entries(&mut self, kind: EntryKind) -> &mut u64 {
        match kind {
            EntryKind::Bill => &mut self.bills,
            EntryKind::Format => &mut self.formats,
            EntryKind::Offer => &mut self.offers,
            EntryKind::Purchase => &mut self.purchases,
            EntryKind::Tenancy => &mut self.tenancies,
            EntryKind::HomeAssistant => &mut self.home_assistants,
        }
    }

    /// Adds the numbers of another part.
    pub(crate) fn add(&mut self, other: &Self) {
        let add = |count: &mut u64, more| *count = count.saturating_add(more);
        add(&mut self.administrators, other.administrators);
        add(&mut self.accounts, other.accounts);
        add(&mut self.credentials, other.credentials);
        add(&mut self.sensors, other.sensors);
        add(&mut self.corrections, other.corrections);
        add(&mut self.contracts, other.contracts);
        add(&mut self.prices, other.prices);
        add(&mut self.days, other.days);
        let mut other = *other;
        for kind in EntryKind::ALL {
            add(self.entries(kind), *other.entries(kind));
        }
        add(&mut self.notices, other.notices);
        add(&mut self.people, other.people);
        add(&mut self.tablets, other.tablets);
        add(&mut self.settings, other.settings);
        add(&mut self.arrivals, other.arrivals);
        add(&mut self.readings, other.readings);
    }
}
