//! Countries of tariffs.

use serde::Deserialize;

use crate::domain::words::words;

/// A country, by its two-letter code of ISO 3166.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(try_from = "String")]
pub enum Country {
    Austria,
    Australia,
    Belgium,
    Bulgaria,
    Brazil,
    Canada,
    Switzerland,
    Cyprus,
    Czechia,
    Germany,
    Denmark,
    Estonia,
    Spain,
    Finland,
    France,
    UnitedKingdom,
    Greece,
    Croatia,
    Hungary,
    Ireland,
    India,
    Iceland,
    Italy,
    Japan,
    SouthKorea,
    Lithuania,
    Luxembourg,
    Latvia,
    Malta,
    Mexico,
    Netherlands,
    Norway,
    NewZealand,
    Pakistan,
    Poland,
    Portugal,
    Romania,
    Serbia,
    Sweden,
    Slovenia,
    Slovakia,
    Turkiye,
    Taiwan,
    Ukraine,
    UnitedStates,
    SouthAfrica,
}

words! {
    Country: Austria "AT", Australia "AU", Belgium "BE", Bulgaria "BG", Brazil "BR", Canada "CA", Switzerland "CH", Cyprus "CY", Czechia "CZ", Germany "DE", Denmark "DK", Estonia "EE", Spain "ES", Finland "FI", France "FR", UnitedKingdom "GB", Greece "GR", Croatia "HR", Hungary "HU", Ireland "IE", India "IN", Iceland "IS", Italy "IT", Japan "JP", SouthKorea "KR", Lithuania "LT", Luxembourg "LU", Latvia "LV", Malta "MT", Mexico "MX", Netherlands "NL", Norway "NO", NewZealand "NZ", Pakistan "PK", Poland "PL", Portugal "PT", Romania "RO", Serbia "RS", Sweden "SE", Slovenia "SI", Slovakia "SK", Turkiye "TR", Taiwan "TW", Ukraine "UA", UnitedStates "US", SouthAfrica "ZA";
    "two letters of ISO 3166, such as DE"
}

impl TryFrom<String> for Country {
    type Error = crate::domain::words::UnknownWord;

    fn try_from(code: String) -> Result<Self, Self::Error> {
        code.parse()
    }
}
