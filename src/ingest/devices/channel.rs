//! Channels: the sensor of a device that a number belongs to.

/// A channel of a device. The sensor of the first channel has the device's id; the others have a
/// suffix.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Channel {
    /// The channel with this number, from 0: from 1 on, `-2`, `-3` and so on is added.
    Number(u32),
    /// The same, with the number at this wildcard of the topic. Wildcards count from 0 here. A text
    /// instead of a number is added as it is.
    Wildcard(usize),
    /// A part of a device, optionally with the wildcard of its number: `-pv` or `-pv-1` is added.
    Part(&'static str, Option<usize>),
    /// The wildcard of this number ends with this word, such as `power` in `pump_power`: `-pump` is
    /// added.
    Stem(usize, &'static str),
}

/// Words in the names of numbers that are neither power nor a register.
const OTHER_NUMBERS: [&str; 9] = [
    "apparent", "reactive", "daily", "today", "day", "week", "month", "year", "max",
];

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
                let stem = level(index).strip_suffix(ending)?;
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
        assert_eq!(suffix(Channel::Part("pv", None), "3"), text("-pv"));
        assert_eq!(
            suffix(Channel::Part("pv", Some(0)).behind(1), "3"),
            text("-pv-3")
        );
        let stem = |captured: &str| suffix(Channel::Stem(1, "power"), captured);
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
