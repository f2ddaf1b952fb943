//! What a sensor measures: which part of a house, and what kind of register it reads.

use serde::{Deserialize, Serialize};

use super::words::words;

/// Which part of a house a sensor measures.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Role {
    /// What the house takes from the grid, less what it feeds back.
    #[default]
    Grid,
    /// What the house's own panels produce.
    Solar,
    /// A part of what another sensor measures too, such as a heat pump behind the house's meter.
    SubMeter,
}

words! {
    Role: Grid "grid", Solar "solar", SubMeter "sub-meter"; "grid, solar or sub-meter"
}

/// What it means when a sensor's register falls.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum RegisterKind {
    /// The register runs backwards when energy is fed back: a fall is negative energy.
    #[default]
    Net,
    /// The register only counts up: a fall is a reset, after which it counts from zero.
    Counter,
}

words! { RegisterKind: Net "net", Counter "counter"; "net or counter" }

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_round_trip() {
        for role in Role::ALL {
            assert_eq!(role.as_str().parse(), Ok(role));
            let json = serde_json::to_string(&role).unwrap();
            assert_eq!(json, format!("\"{}\"", role.as_str()));
        }
        for kind in RegisterKind::ALL {
            assert_eq!(kind.as_str().parse(), Ok(kind));
        }
        assert_eq!(
            "roof".parse::<Role>().unwrap_err().to_string(),
            "expected grid, solar or sub-meter"
        );
        assert!("Counter".parse::<RegisterKind>().is_err());
    }
}
