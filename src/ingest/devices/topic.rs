//! Topics, the filters that match them, and the levels that a filter's wildcards match.
//!
//! Format: MQTT 3.1.1, section 4.7. A topic is levels separated by `/`. In a filter, `+` matches
//! one level, and a final `#` any number of levels.

use std::str::FromStr;

use thiserror::Error;

/// The longest topic or filter, in bytes: on the wire its length is a 16-bit number.
const LONGEST: usize = 65_535;

/// A filter that matches topics.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TopicFilter {
    text: String,
}

/// The error for a text that is not a filter.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[error(
    "expected a topic such as \"tele/+/SENSOR\", where + matches one level and a final # all that follow"
)]
pub struct FilterError;

impl FromStr for TopicFilter {
    type Err = FilterError;

    fn from_str(text: &str) -> Result<Self, FilterError> {
        let has_length = (1..=LONGEST).contains(&text.len());
        if !has_length || text.chars().any(char::is_control) {
            return Err(FilterError);
        }
        let is_level = |level: &str| level == "+" || !level.contains(['+', '#']);
        let before_last = text.strip_suffix("/#").unwrap_or(text);
        if text != "#" && !before_last.split('/').all(is_level) {
            return Err(FilterError);
        }
        Ok(Self { text: text.into() })
    }
}

impl TopicFilter {
    /// The filter as text.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.text
    }

    /// The number of its wildcards.
    #[must_use]
    pub fn wildcards(&self) -> usize {
        let is_wild = |level: &&str| matches!(*level, "+" | "#");
        self.text.split('/').filter(is_wild).count()
    }

    /// The topics below those of this filter: `below("a/+", "b")` is `a/+/b`.
    ///
    /// # Errors
    /// [`FilterError`] if it ends with `#`, or if `levels` are invalid.
    pub fn below(&self, levels: &str) -> Result<Self, FilterError> {
        format!("{}/{levels}", self.text).parse()
    }

    /// The part of `topic` that this filter matches, or all of it if the filter ends with `#`;
    /// `None` if it does not match.
    #[must_use]
    pub fn filled_from(&self, topic: &str) -> Option<String> {
        let levels = self.text.split('/').count();
        let mut ends = topic.match_indices('/').map(|(end, _)| end);
        let end = ends.nth(levels - 1).filter(|_| !self.text.ends_with('#'));
        let beginning = end.map_or(Some(topic), |end| topic.get(..end))?;
        self.matches(beginning).then(|| beginning.to_owned())
    }

    /// Whether it matches `topic`.
    #[must_use]
    pub fn matches(&self, topic: &str) -> bool {
        self.walk(topic, |_| ())
    }

    /// Whether it matches everything that another filter matches, and more.
    #[must_use]
    pub fn covers(&self, other: &Self) -> bool {
        // The other filter serves as a topic: its `+` is a level that only `+` and `#` match.
        !other.text.ends_with('#') && self.text != other.text && self.matches(&other.text)
    }

    /// The levels that the wildcards match in `topic`, in order; `None` if the filter does not
    /// match. A topic that begins with `$` belongs to the broker, and a leading wildcard does not
    /// match it.
    #[must_use]
    pub fn captures<'t>(&self, topic: &'t str) -> Option<Vec<&'t str>> {
        let mut captured = Vec::new();
        self.walk(topic, |text| captured.push(text))
            .then_some(captured)
    }

    /// Whether it matches `topic`; calls `capture` for each wildcard until that is certain.
    fn walk<'t>(&self, topic: &'t str, mut capture: impl FnMut(&'t str)) -> bool {
        let is_wild = self.text.starts_with(['+', '#']);
        if topic.starts_with('$') && is_wild {
            return false;
        }
        // `None` after the last level of the topic.
        let mut rest = Some(topic);
        for level in self.text.split('/') {
            if level == "#" {
                // `a/#` matches `a` itself (4.7.1.2), with nothing left for the wildcard.
                capture(rest.unwrap_or_default());
                return true;
            }
            // The topic has fewer levels than the filter.
            let Some(text) = rest else {
                return false;
            };
            let (head, tail) = match text.split_once('/') {
                Some((head, tail)) => (head, Some(tail)),
                None => (text, None),
            };
            match level {
                "+" => capture(head),
                plain if plain == head => {}
                _ => return false,
            }
            rest = tail;
        }
        rest.is_none()
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn captures<'t>(filter: &str, topic: &'t str) -> Option<Vec<&'t str>> {
        filter.parse::<TopicFilter>().unwrap().captures(topic)
    }

    #[test]
    fn filters_match_as_in_the_standard() {
        // The examples of MQTT 3.1.1, sections 4.7.1.2, 4.7.1.3 and 4.7.2.
        let matching = [
            ("sport/tennis/player1/#", "sport/tennis/player1"),
            ("sport/tennis/player1/#", "sport/tennis/player1/ranking"),
            (
                "sport/tennis/player1/#",
                "sport/tennis/player1/score/wimbledon",
            ),
            ("sport/#", "sport"),
            ("#", "sport/tennis"),
            ("sport/tennis/+", "sport/tennis/player1"),
            ("sport/+", "sport/"),
            ("+/+", "/finance"),
            ("/+", "/finance"),
            ("$SYS/#", "$SYS/broker/load"),
            ("$SYS/monitor/+", "$SYS/monitor/Clients"),
        ];
        for (filter, topic) in matching {
            assert!(captures(filter, topic).is_some(), "{filter} {topic}");
        }
        let others = [
            ("sport/tennis/+", "sport/tennis/player1/ranking"),
            ("sport/+", "sport"),
            ("+", "/finance"),
            ("#", "$SYS/broker"),
            ("+/monitor/Clients", "$SYS/monitor/Clients"),
            ("a/b", "a/B"),
            ("a/b", "a/b/"),
        ];
        for (filter, topic) in others {
            assert_eq!(captures(filter, topic), None, "{filter} {topic}");
        }
    }

    #[test]
    fn wildcards_are_captured_in_order() {
        assert_eq!(
            captures("tele/+/SENSOR", "tele/plug/SENSOR"),
            Some(vec!["plug"])
        );
        assert_eq!(
            captures("shellies/+/emeter/+/power", "shellies/em3/emeter/2/power"),
            Some(vec!["em3", "2"])
        );
        assert_eq!(captures("a/+/#", "a/b/c/d"), Some(vec!["b", "c/d"]));
        assert_eq!(captures("a/#", "a"), Some(vec![""]));
        assert_eq!(captures("a/b", "a/b"), Some(vec![]));
    }

    #[test]
    fn a_filter_names_the_beginning_of_a_topic() {
        let filled = |filter: &str, topic: &str| {
            let filter: TopicFilter = filter.parse().unwrap();
            filter.filled_from(topic)
        };
        let text = |text: &str| Some(text.to_owned());
        assert_eq!(filled("a/+", "a/b/c/d"), text("a/b"));
        assert_eq!(filled("a/+", "a/b"), text("a/b"));
        assert_eq!(filled("a/#", "a/b/c"), text("a/b/c"));
        assert_eq!(filled("a/+", "a"), None);
        assert_eq!(filled("a/+", "b/c/d"), None);
    }

    #[test]
    fn other_texts_are_not_filters() {
        for text in [
            "",
            "a/#/b",
            "a#",
            "a+/b",
            "#/",
            "a\0",
            "a\nb",
            &"x".repeat(65_536),
        ] {
            assert_eq!(text.parse::<TopicFilter>(), Err(FilterError), "{text:?}");
        }
        let filter: TopicFilter = "shellies/+".parse().unwrap();
        assert_eq!(
            filter.below("relay/+/power").unwrap().as_str(),
            "shellies/+/relay/+/power"
        );
        assert_eq!(filter.wildcards(), 1);
        let all: TopicFilter = "#".parse().unwrap();
        assert!(all.below("power").is_err());
    }

    proptest! {
        #[test]
        fn a_topic_matches_itself(topic in "[a-c/]{1,12}") {
            prop_assert_eq!(captures(&topic, &topic), Some(vec![]));
        }

        #[test]
        fn captures_rebuild_the_topic(
            filter in "([a-c]|\\+)(/([a-c]|\\+)){0,4}(/#)?",
            topic in "[a-c]{1,2}(/[a-c]{0,2}){0,5}",
        ) {
            if let Some(captured) = captures(&filter, &topic) {
                let mut captured = captured.into_iter();
                let levels: Vec<&str> = filter
                    .split('/')
                    .map(|level| if matches!(level, "+" | "#") { captured.next().unwrap() } else { level })
                    .collect();
                let built = levels.join("/");
                // `a/#` also matches `a`.
                let is_parent = built.strip_suffix('/') == Some(topic.as_str());
                prop_assert!(is_parent || built == topic);
            }
        }

        #[test]
        fn what_a_filter_covers_matches_nothing_else(
            wide in "([a-b]|\\+)(/([a-b]|\\+)){0,2}(/#)?",
            narrow in "([a-b]|\\+)(/([a-b]|\\+)){0,2}(/#)?",
            topic in "[a-b](/[a-b]){0,3}",
        ) {
            let [wide, narrow] = [wide, narrow].map(|text| text.parse::<TopicFilter>().unwrap());
            if wide.covers(&narrow) && narrow.matches(&topic) {
                prop_assert!(wide.matches(&topic));
            }
        }

        #[test]
        fn no_text_panics(filter in "\\PC{0,20}", topic in "\\PC{0,20}") {
            if let Ok(filter) = filter.parse::<TopicFilter>() {
                let captured = filter.captures(&topic);
                prop_assert!(captured.is_none_or(|all| all.len() == filter.wildcards()));
            }
        }
    }
}
