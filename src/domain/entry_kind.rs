//! The kinds of entries, each described once: their words, their limit and the remedies in errors.

use serde::{Deserialize, Serialize};

use super::words::words;

/// A kind of entries that people make in an account, each under a name or a number of its own. In the
/// order of their frames in a backup.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub enum EntryKind {
    /// Bills of the utility, by number.
    Bill,
    /// Described formats of files.
    Format,
    /// Contracts to compare with those in force.
    Offer,
    /// Purchases that are to pay for themselves.
    Purchase,
    /// Who pays for a sub-meter.
    Tenancy,
    /// The Home Assistant of an account: one, without a name.
    HomeAssistant,
}

words! {
    EntryKind: Bill "bill", Format "format", Offer "offer", Purchase "purchase", Tenancy "tenancy", HomeAssistant "home-assistant";
    "bill, format, offer, purchase, tenancy or home-assistant"
}

impl EntryKind {
    /// Several, in errors.
    #[must_use]
    pub const fn many(self) -> &'static str {
        match self {
            Self::Bill => "bills",
            Self::Format => "formats of files",
            Self::Offer => "offers",
            Self::Purchase => "purchases",
            Self::Tenancy => "tenancies",
            Self::HomeAssistant => "Home Assistants",
        }
    }

    /// The command that lists them.
    #[must_use]
    pub const fn command(self) -> &'static str {
        match self {
            Self::Bill => "utility list",
            Self::Format => "formats list",
            Self::Offer => "offer list",
            Self::Purchase => "purchase list",
            Self::Tenancy => "tenancy list",
            Self::HomeAssistant => "ha show",
        }
    }

    /// The maximum number in an account. Each bill is compared with a statement, and twenty years
    /// of months fit. Each import reads all formats, and each comparison prices its range for all
    /// offers.
    #[must_use]
    pub const fn most(self) -> usize {
        match self {
            Self::Bill => 240,
            Self::Format | Self::Offer | Self::Purchase => 50,
            // A house of sixteen flats, with a new price in each of six years.
            Self::Tenancy => 100,
            Self::HomeAssistant => 1,
        }
    }

    /// The fault that an account has the maximum, and the remedy.
    pub(crate) fn too_many(self) -> String {
        let gone = match self {
            Self::Bill | Self::Tenancy => "old ones",
            _ => "one",
        };
        let (most, many) = (self.most(), self.many());
        format!("{most} {many}, the maximum: remove {gone} first")
    }
}
