//! Regions: how people write dates and numbers and when their weeks begin, apart from their
//! language.

use crate::domain::WeekStart;
use crate::domain::words::words;

/// A region, by the code of its country.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Region {
    /// The conventions of this country.
    At,
    /// The conventions of this country.
    Au,
    /// The conventions of this country.
    Be,
    /// The conventions of this country.
    Br,
    /// The conventions of this country.
    Ca,
    /// The conventions of this country.
    Ch,
    /// The conventions of this country.
    Cz,
    /// The conventions of this country.
    De,
    /// The conventions of this country.
    Dk,
    /// The conventions of this country.
    Es,
    /// The conventions of this country.
    Fi,
    /// The conventions of this country.
    Fr,
    /// The conventions of this country.
    Gb,
    /// The conventions of this country.
    Ie,
    /// The conventions of this country.
    In,
    /// The conventions of this country.
    It,
    /// The conventions of this country.
    Jp,
    /// The conventions of this country.
    Mx,
    /// The conventions of this country.
    Nl,
    /// The conventions of this country.
    No,
    /// The conventions of this country.
    Nz,
    /// The conventions of this country.
    Pl,
    /// The conventions of this country.
    Pt,
    /// The conventions of this country.
    Se,
    /// The conventions of this country.
    Us,
    /// The conventions of this country.
    Za,
}

words! {
    Region: At "AT",
    Au "AU",
    Be "BE",
    Br "BR",
    Ca "CA",
    Ch "CH",
    Cz "CZ",
    De "DE",
    Dk "DK",
    Es "ES",
    Fi "FI",
    Fr "FR",
    Gb "GB",
    Ie "IE",
    In "IN",
    It "IT",
    Jp "JP",
    Mx "MX",
    Nl "NL",
    No "NO",
    Nz "NZ",
    Pl "PL",
    Pt "PT",
    Se "SE",
    Us "US",
    Za "ZA";
    "the code of a country, such as US"
}

/// The order of the parts of a date.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DateStyle {
    /// As usual in the language.
    OfLanguage,
    /// Month, day, year.
    MonthFirst,
    /// Year, month, day, as numbers.
    YearFirst,
}

impl Region {
    /// The region that a browser's `Accept-Language` names first, such as `US` in `de-US,en;q=0.8`.
    #[must_use]
    pub fn accepted(header: &str) -> Option<Self> {
        let first = header.split([',', ';']).next().unwrap_or_default();
        let code = first.trim().split('-').skip(1).find(|it| it.len() == 2)?;
        code.to_ascii_uppercase().parse().ok()
    }

    /// The marks in its numbers: before the decimals, and between thousands.
    #[must_use]
    pub const fn marks(self) -> (&'static str, &'static str) {
        match self {
            Self::Au
            | Self::Ca
            | Self::Gb
            | Self::Ie
            | Self::In
            | Self::Jp
            | Self::Mx
            | Self::Nz
            | Self::Us => (".", ","),
            Self::Ch => (".", "\u{2019}"),
            Self::At
            | Self::Cz
            | Self::Fi
            | Self::Fr
            | Self::No
            | Self::Pl
            | Self::Pt
            | Self::Se
            | Self::Za => (",", "\u{202F}"),
            Self::Be | Self::Br | Self::De | Self::Dk | Self::Es | Self::It | Self::Nl => {
                (",", ".")
            }
        }
    }

    /// The order of its dates.
    #[must_use]
    pub const fn date_order(self) -> DateStyle {
        match self {
            Self::Us => DateStyle::MonthFirst,
            Self::Jp => DateStyle::YearFirst,
            _ => DateStyle::OfLanguage,
        }
    }

    /// The first day of its weeks.
    #[must_use]
    pub const fn week_start(self) -> WeekStart {
        match self {
            Self::Br
            | Self::Ca
            | Self::In
            | Self::Jp
            | Self::Mx
            | Self::Pt
            | Self::Us
            | Self::Za => WeekStart::Sunday,
            _ => WeekStart::Monday,
        }
    }
}
