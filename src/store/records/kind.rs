//! The kinds of records.

/// What a record is about.
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
}

impl RecordKind {
    /// All kinds, as they are declared.
    pub(crate) const ALL: [Self; 15] = [
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
    ];

    /// Its name on disk, which no version may change.
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
        }
    }
}
