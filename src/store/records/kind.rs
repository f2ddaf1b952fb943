//! The kinds of records.

/// The kind of a record.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum RecordKind {
    Administrator,
    Sessions,
    People,
    Tablets,
    Accounts,
    Credentials,
    Sensors,
    Corrections,
    Contracts,
    Bills,
    Series,
    /// The prices of the series.
    Prices,
    Notices,
    Settings,
    LastUses,
    /// The days of day lists.
    Days,
    /// Described formats of files.
    Formats,
    /// Offers: contracts to compare with those in force.
    Offers,
    /// Purchases that are to pay for themselves.
    Purchases,
    /// Who pays for sub-meters.
    Tenancies,
    /// The Home Assistant of each account.
    HomeAssistants,
    /// Users of Home Assistant who are signed in by their visits.
    LinkedUsers,
}

impl RecordKind {
    /// All kinds, in the order of their declaration.
    pub(crate) const ALL: [Self; 22] = [
        Self::Administrator,
        Self::Sessions,
        Self::People,
        Self::Tablets,
        Self::Accounts,
        Self::Credentials,
        Self::Sensors,
        Self::Corrections,
        Self::Contracts,
        Self::Bills,
        Self::Series,
        Self::Prices,
        Self::Notices,
        Self::Settings,
        Self::LastUses,
        Self::Days,
        Self::Formats,
        Self::Offers,
        Self::Purchases,
        Self::Tenancies,
        Self::HomeAssistants,
        Self::LinkedUsers,
    ];

    /// The name on disk, which no version may change.
    pub(crate) const fn name(self) -> &'static str {
        match self {
            Self::Administrator => "administrator",
            Self::Sessions => "sessions",
            Self::People => "people",
            Self::Tablets => "tablets",
            Self::Accounts => "accounts",
            Self::Credentials => "credentials",
            Self::Sensors => "sensors",
            Self::Corrections => "corrections",
            Self::Contracts => "contracts",
            Self::Bills => "bills",
            Self::Series => "series",
            Self::Prices => "prices",
            Self::Notices => "notices",
            Self::Settings => "settings",
            Self::LastUses => "uses",
            Self::Days => "days",
            Self::Formats => "formats",
            Self::Offers => "offers",
            Self::Purchases => "purchases",
            Self::Tenancies => "tenancies",
            Self::HomeAssistants => "home-assistants",
            Self::LinkedUsers => "linked-users",
        }
    }

    /// The number in the tables of PostgreSQL, which no version may change. Never 0.
    pub(crate) const fn number(self) -> i16 {
        match self {
            Self::Administrator => 1,
            Self::Sessions => 2,
            Self::People => 3,
            Self::Tablets => 4,
            Self::Accounts => 5,
            Self::Credentials => 6,
            Self::Sensors => 7,
            Self::Corrections => 8,
            Self::Contracts => 9,
            Self::Bills => 10,
            Self::Series => 11,
            Self::Prices => 12,
            Self::Notices => 13,
            Self::Settings => 14,
            Self::LastUses => 15,
            Self::Days => 16,
            Self::Formats => 17,
            Self::Offers => 18,
            Self::Purchases => 19,
            Self::HomeAssistants => 20,
            Self::LinkedUsers => 21,
            Self::Tenancies => 22,
        }
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn each_kind_has_a_number_of_its_own() {
        let numbers: BTreeSet<i16> = RecordKind::ALL.map(RecordKind::number).into();
        assert_eq!(numbers.len(), RecordKind::ALL.len());
        assert!(!numbers.contains(&0));
    }
}
