//! Countries of tariffs.

use serde::{Deserialize, Serialize, Serializer};

use crate::domain::Zone;
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

impl Serialize for Country {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        to.serialize_str(self.as_str())
    }
}

impl TryFrom<String> for Country {
    type Error = crate::domain::words::UnknownWord;

    fn try_from(code: String) -> Result<Self, Self::Error> {
        code.parse()
    }
}

/// Time zones by their countries. Those of many cities come by the beginning of their names.
const ZONES: &[(&str, Country)] = &[
    ("Europe/Vienna", Country::Austria),
    ("Australia/", Country::Australia),
    ("Europe/Brussels", Country::Belgium),
    ("Europe/Sofia", Country::Bulgaria),
    ("America/Sao_Paulo", Country::Brazil),
    ("America/Bahia", Country::Brazil),
    ("America/Manaus", Country::Brazil),
    ("America/Fortaleza", Country::Brazil),
    ("America/Recife", Country::Brazil),
    ("America/Toronto", Country::Canada),
    ("America/Montreal", Country::Canada),
    ("America/Vancouver", Country::Canada),
    ("America/Edmonton", Country::Canada),
    ("America/Winnipeg", Country::Canada),
    ("America/Regina", Country::Canada),
    ("America/Halifax", Country::Canada),
    ("America/St_Johns", Country::Canada),
    ("Canada/", Country::Canada),
    ("Europe/Zurich", Country::Switzerland),
    ("Asia/Nicosia", Country::Cyprus),
    ("Europe/Prague", Country::Czechia),
    ("Europe/Berlin", Country::Germany),
    ("Europe/Busingen", Country::Germany),
    ("Europe/Copenhagen", Country::Denmark),
    ("Europe/Tallinn", Country::Estonia),
    ("Europe/Madrid", Country::Spain),
    ("Atlantic/Canary", Country::Spain),
    ("Europe/Helsinki", Country::Finland),
    ("Europe/Paris", Country::France),
    ("Europe/London", Country::UnitedKingdom),
    ("Europe/Belfast", Country::UnitedKingdom),
    ("Europe/Athens", Country::Greece),
    ("Europe/Zagreb", Country::Croatia),
    ("Europe/Budapest", Country::Hungary),
    ("Europe/Dublin", Country::Ireland),
    ("Asia/Kolkata", Country::India),
    ("Asia/Calcutta", Country::India),
    ("Atlantic/Reykjavik", Country::Iceland),
    ("Europe/Rome", Country::Italy),
    ("Asia/Tokyo", Country::Japan),
    ("Asia/Seoul", Country::SouthKorea),
    ("Europe/Vilnius", Country::Lithuania),
    ("Europe/Luxembourg", Country::Luxembourg),
    ("Europe/Riga", Country::Latvia),
    ("Europe/Malta", Country::Malta),
    ("America/Mexico_City", Country::Mexico),
    ("America/Monterrey", Country::Mexico),
    ("America/Tijuana", Country::Mexico),
    ("America/Cancun", Country::Mexico),
    ("Europe/Amsterdam", Country::Netherlands),
    ("Europe/Oslo", Country::Norway),
    ("Pacific/Auckland", Country::NewZealand),
    ("Asia/Karachi", Country::Pakistan),
    ("Europe/Warsaw", Country::Poland),
    ("Europe/Lisbon", Country::Portugal),
    ("Atlantic/Madeira", Country::Portugal),
    ("Atlantic/Azores", Country::Portugal),
    ("Europe/Bucharest", Country::Romania),
    ("Europe/Belgrade", Country::Serbia),
    ("Europe/Stockholm", Country::Sweden),
    ("Europe/Ljubljana", Country::Slovenia),
    ("Europe/Bratislava", Country::Slovakia),
    ("Europe/Istanbul", Country::Turkiye),
    ("Asia/Istanbul", Country::Turkiye),
    ("Asia/Taipei", Country::Taiwan),
    ("Europe/Kyiv", Country::Ukraine),
    ("Europe/Kiev", Country::Ukraine),
    ("America/New_York", Country::UnitedStates),
    ("America/Chicago", Country::UnitedStates),
    ("America/Denver", Country::UnitedStates),
    ("America/Phoenix", Country::UnitedStates),
    ("America/Los_Angeles", Country::UnitedStates),
    ("America/Anchorage", Country::UnitedStates),
    ("America/Detroit", Country::UnitedStates),
    ("America/Boise", Country::UnitedStates),
    ("America/Indiana/", Country::UnitedStates),
    ("America/Kentucky/", Country::UnitedStates),
    ("Pacific/Honolulu", Country::UnitedStates),
    ("US/", Country::UnitedStates),
    ("Africa/Johannesburg", Country::SouthAfrica),
];

impl Country {
    /// The country of a time zone, if it has one alone.
    #[must_use]
    pub fn of_zone(zone: &Zone) -> Option<Self> {
        let found = ZONES.iter().find(|(name, _)| {
            name.ends_with('/') && zone.name().starts_with(name) || zone.name() == *name
        });
        found.map(|(_, country)| *country)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn time_zones_have_countries() {
        for (zone, country) in [
            ("Europe/Berlin", Some(Country::Germany)),
            ("Australia/Sydney", Some(Country::Australia)),
            ("America/Toronto", Some(Country::Canada)),
            ("UTC", None),
        ] {
            assert_eq!(Country::of_zone(&Zone::parse(zone).unwrap()), country);
        }
        // Each country of the list has a time zone.
        let has_zone = |country: &Country| ZONES.iter().any(|(_, of)| of == country);
        assert!(Country::ALL.iter().all(has_zone));
    }
}
