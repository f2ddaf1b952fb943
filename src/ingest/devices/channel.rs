//! Channels: the sensor of a device that a number belongs to.
//!
//! As text: the number of a channel from 0, or the name of a part such as `grid`. A `+` is the first
//! level of the topic with a wildcard: `+`, `pv-+`, or `+power` for levels that end with `power`.

use std::str::FromStr;

use serde::Deserialize;
use thiserror::Error;

/// A channel of a device. The sensor of the first channel has the device's id; the others have a
/// suffix.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(try_from = "String")]
pub enum Channel {
    /// The channel with this number, from 0: from 1 on, `-2`, `-3` and so on is added.
    Number(u32),
    /// The same, with the number at this wildcard of the topic. Wildcards count from 0 here. A text
    /// instead of a number is added as it is.
    Wildcard(usize),
    /// A part of a device, optionally with the wildcard of its number: `-pv` or `-pv-1` is added.
    Part(String, Option<usize>),
    /// The wildcard of this number ends with this word, such as `power` in `pump_power`: `-pump` is
    /// added.
    Stem(usize, String),
}

/// Words in the names of numbers that are neither power nor a register.
const OTHER_NUMBERS: [&str; 9] = [
    "apparent", "reactive", "daily", "today", "day", "week", "month", "year", "max",
];

/// The error for a text that is not a channel.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[error(
    "expected the number of a channel from 0, or the name of a part, with a + for a level of the topic: \"0\", \"grid\", \"+\", \"pv-+\" or \"+power\""
)]
pub struct ChannelError;

impl Default for Channel {
    fn default() -> Self {
        Self::Number(0)
    }
}

impl FromStr for Channel {
    type Err = ChannelError;

    fn from_str(text: &str) -> Result<Self, ChannelError> {
        let channel = if let Ok(number) = text.parse() {
            Self::Number(number)
        } else if text == "+" {
            Self::Wildcard(0)
        } else if let Some(ending) = text.strip_prefix('+') {
            Self::Stem(0, ending.to_owned())
        } else if let Some(name) = text.strip_suffix("-+") {
            Self::Part(name.to_owned(), Some(0))
        } else {
            Self::Part(text.to_owned(), None)
        };
        match &channel {
            Self::Part(name, _) | Self::Stem(_, name) if name.is_empty() || name.contains('+') => {
                Err(ChannelError)
            }
            _ => Ok(channel),
        }
    }
}

impl TryFrom<String> for Channel {
    type Error = ChannelError;

    fn try_from(text: String) -> Result<Self, ChannelError> {
        text.parse()
    }
}

impl Channel {
    /// The suffix added to the device's id; `None` if it is not a number of that channel.
    pub(super) fn suffix(&self, captures: &[&str]) -> Option<String> {
        let level = |index: &usize| captures.get(*index).copied().unwrap_or_default();
        Some(match self {
            Self::Number(number) => numbered(*number),
            Self::Wildcard(index) => {
                let text = level(index);
                text.parse().map_or_else(|_| format!("-{text}"), numbered)
            }
            Self::Part(name, None) => format!("-{name}"),
            Self::Part(name, Some(index)) => format!("-{name}-{}", level(index)),
            Self::Stem(index, ending) => {
                let stem = level(index).strip_suffix(ending.as_str())?;
                let stem = match stem.strip_suffix(['_', '-']) {
                    Some(stem) => stem,
                    None if stem.is_empty() => stem,
                    // `willpower` is not a power.
                    None => return None,
                };
                if stem
                    .split(['_', '-'])
                    .any(|word| OTHER_NUMBERS.contains(&word))
                {
                    return None;
                }
                if stem.is_empty() {
                    String::new()
                } else {
                    format!("-{stem}")
                }
            }
        })
    }

    /// The same channel of a topic with this many more wildcards before its own.
    pub(crate) fn behind(self, wildcards: usize) -> Self {
        let shifted = |index: usize| index.saturating_add(wildcards);
        match self {
            Self::Number(_) | Self::Part(_, None) => self,
            Self::Wildcard(index) => Self::Wildcard(shifted(index)),
            Self::Part(name, Some(index)) => Self::Part(name, Some(shifted(index))),
            Self::Stem(index, ending) => Self::Stem(shifted(index), ending),
        }
    }
}

fn numbered(number: u32) -> String {
    match number {
        0 => String::new(),
        // A topic may contain any number.
        number => format!("-{}", number.saturating_add(1)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn channels_add_to_the_id() {
        let suffix = |channel: Channel, captured: &str| channel.suffix(&["a", captured]);
        let text = |text: &str| Some(text.to_owned());
        assert_eq!(suffix(Channel::Number(0), ""), text(""));
        assert_eq!(suffix(Channel::Number(2), ""), text("-3"));
        assert_eq!(suffix(Channel::Wildcard(1), "0"), text(""));
        assert_eq!(suffix(Channel::Wildcard(1), "1"), text("-2"));
        assert_eq!(suffix(Channel::Wildcard(1), "left"), text("-left"));
        assert_eq!(
            suffix(Channel::Wildcard(1), "4294967295"),
            text("-4294967295")
        );
        let read = |text: &str| text.parse::<Channel>().unwrap();
        assert_eq!(suffix(read("pv"), "3"), text("-pv"));
        assert_eq!(suffix(read("pv-+").behind(1), "3"), text("-pv-3"));
        assert_eq!(read("2"), Channel::Number(2));
        assert_eq!(read("+").behind(1), Channel::Wildcard(1));
        for other in ["", "-+", "a+b", "++"] {
            assert_eq!(other.parse::<Channel>(), Err(ChannelError), "{other}");
        }
        let stem = |captured: &str| suffix(read("+power").behind(1), captured);
        assert_eq!(stem("power"), text(""));
        assert_eq!(stem("heat_pump_power"), text("-heat_pump"));
        for other in [
            "willpower",
            "apparent_power",
            "power_factor",
            "pump_today_power",
        ] {
            assert_eq!(stem(other), None, "{other}");
        }
    }
}
