//! What a sensor measures: which part of a house, and what kind of register it reads.

use std::str::FromStr;

use serde::{Deserialize, Serialize};

use super::account::UnknownWord;

/// Which part of a house a sensor measures.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Role {
    /// What the house takes from the grid, less what it feeds back: all that the house pays for.
    #[default]
    Grid,
    /// What the house's own panels produce.
    Solar,
    /// A part of what other sensors measure too, such as a heat pump behind the house's meter.
    SubMeter,
}

impl Role {
    /// All of them.
    pub const ALL: [Self; 3] = [Self::Grid, Self::Solar, Self::SubMeter];

    /// Its name, as it is typed and printed.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Grid => "grid",
            Self::Solar => "solar",
            Self::SubMeter => "sub-meter",
        }
    }
}

impl FromStr for Role {
    type Err = UnknownWord;

    fn from_str(text: &str) -> Result<Self, UnknownWord> {
        let role = Self::ALL.into_iter().find(|role| role.as_str() == text);
        role.ok_or(UnknownWord::expecting("grid, solar or sub-meter"))
    }
}

/// What it means when a sensor's register falls.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum RegisterKind {
    /// It runs backwards where energy is fed back: a fall is negative energy.
    #[default]
    Net,
    /// It only counts up: a fall is a reset, after which it counts from zero.
    Counter,
}

impl RegisterKind {
    /// All of them.
    pub const ALL: [Self; 2] = [Self::Net, Self::Counter];

    /// Its name, as it is typed and printed.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Net => "net",
            Self::Counter => "counter",
        }
    }
}

impl FromStr for RegisterKind {
    type Err = UnknownWord;

    fn from_str(text: &str) -> Result<Self, UnknownWord> {
        let kind = Self::ALL.into_iter().find(|kind| kind.as_str() == text);
        kind.ok_or(UnknownWord::expecting("net or counter"))
    }
}

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
