//! Devices that send only on request: Victron's Venus OS.
//!
//! Format: a message under `R/<portal id>/keepalive` makes it send for a minute
//! (github.com/victronenergy/dbus-flashmq). An empty one makes it send all its values at once; one
//! with the option below only changes. All values are requested now and then, so that an unchanged
//! register is not mistaken for a silent one.

use std::collections::BTreeMap;
use std::time::Duration;

use crate::ingest::devices::topic::TopicFilter;

/// How often to ask. A device stops after 60 s.
const ASK_EVERY: Duration = Duration::from_secs(30);
/// All values are requested with every tenth request, that is every five minutes.
const ALL_EVERY: u32 = 10;
/// The maximum number of portals of one subscription that are asked. A house has one.
const MAX_PORTALS: usize = 4;
/// The request without all values.
const ONLY_CHANGES: &str = r#"{"keepalive-options":["suppress-republish"]}"#;

/// The portals to ask, and when.
#[derive(Debug, Default)]
pub(super) struct KeepAlive {
    /// The topics of the subscriptions: `N/` and a portal's id, or `+`, optionally after more
    /// levels.
    topics: Vec<TopicFilter>,
    /// The portals, by the topic of the request.
    asked: BTreeMap<String, Asked>,
}

#[derive(Debug, Default)]
struct Asked {
    /// The time of the next request, since the start of this run.
    next: Duration,
    count: u32,
}

impl KeepAlive {
    pub(super) fn new<'t>(topics: impl Iterator<Item = &'t TopicFilter>) -> Self {
        let mut keep_alive = Self {
            topics: topics.cloned().collect(),
            asked: BTreeMap::new(),
        };
        for topic in &keep_alive.topics {
            if topic.wildcards() == 0
                && let Some(request) = request(topic.as_str())
            {
                keep_alive.asked.insert(request, Asked::default());
            }
        }
        keep_alive
    }

    /// The topics with the ids of portals, which each portal also sends without a request.
    pub(super) fn filters(&self) -> Vec<String> {
        let below = |topic: &TopicFilter| topic.below("system/0/Serial");
        let filters = self.topics.iter().filter_map(|topic| below(topic).ok());
        filters.map(|filter| filter.as_str().to_owned()).collect()
    }

    /// Learns a portal from the topic of a message.
    pub(super) fn heard(&mut self, topic: &str) {
        for filter in &self.topics {
            let Some(portal) = filter.filled_from(topic) else {
                continue;
            };
            if self.asked.len() >= self.topics.len() * MAX_PORTALS {
                continue;
            }
            if let Some(request) = request(&portal)
                && !self.asked.contains_key(&request)
            {
                self.asked.insert(request, Asked::default());
            }
        }
    }

    /// The requests that are due: topics with payloads.
    pub(super) fn due(&mut self, elapsed: Duration) -> Vec<(String, &'static str)> {
        let mut due = Vec::new();
        for (topic, asked) in &mut self.asked {
            if elapsed < asked.next {
                continue;
            }
            let wants_all = asked.count.is_multiple_of(ALL_EVERY);
            due.push((topic.clone(), if wants_all { "" } else { ONLY_CHANGES }));
            asked.next = elapsed.saturating_add(ASK_EVERY);
            asked.count = asked.count.wrapping_add(1);
        }
        due
    }
}

/// The topic of requests to the portal with this topic; `None` if there is no `N` where it is
/// expected.
fn request(portal: &str) -> Option<String> {
    let (before, id) = portal.rsplit_once('/')?;
    let before = before.strip_suffix('N')?;
    let is_level = before.is_empty() || before.ends_with('/');
    let is_plain = |c: char| c.is_ascii_alphanumeric() || "-_".contains(c);
    (is_level && !id.is_empty() && id.chars().all(is_plain))
        .then(|| format!("{before}R/{id}/keepalive"))
}

/// Whether devices under `topic` can be asked.
pub(crate) fn can_ask(topic: &TopicFilter) -> bool {
    let text = topic.as_str();
    text.strip_suffix('+')
        .map_or_else(|| request(text), |before| request(&format!("{before}x")))
        .is_some()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(seconds: u64) -> Duration {
        Duration::from_secs(seconds)
    }

    fn asking(topics: &[&str]) -> KeepAlive {
        let topics: Vec<TopicFilter> = topics.iter().map(|text| text.parse().unwrap()).collect();
        KeepAlive::new(topics.iter())
    }

    #[test]
    fn a_portal_is_asked_once_it_was_heard() {
        let mut victron = asking(&["N/+"]);
        assert_eq!(victron.filters(), ["N/+/system/0/Serial"]);
        assert!(victron.due(at(0)).is_empty());
        for other in ["M/c0/system/0/Serial", "N", "N/c 0/x", "$N/c0/x"] {
            victron.heard(other);
            assert!(victron.due(at(0)).is_empty(), "{other}");
        }
        victron.heard("N/c0/system/0/Serial");
        let topic = "R/c0/keepalive".to_owned();
        assert_eq!(victron.due(at(1)), [(topic.clone(), "")]);
        victron.heard("N/c0/grid/30/Ac/Power");
        assert!(victron.due(at(30)).is_empty());
        for count in 1..10 {
            assert_eq!(
                victron.due(at(1 + 30 * count)),
                [(topic.clone(), ONLY_CHANGES)]
            );
        }
        assert_eq!(victron.due(at(301)), [(topic, "")]);
    }

    #[test]
    fn only_what_was_configured_is_asked() {
        let mut victron = asking(&["house/N/c0"]);
        let topic = "house/R/c0/keepalive".to_owned();
        victron.heard("house/N/c1/system/0/Serial");
        assert_eq!(victron.due(at(0)), [(topic, "")]);
        let mut none = asking(&[]);
        none.heard("N/c0/system/0/Serial");
        assert!(none.due(at(0)).is_empty() && none.filters().is_empty());
    }

    #[test]
    fn a_flood_of_portals_is_not_asked() {
        let mut victron = asking(&["N/+"]);
        for number in 0..10_000 {
            victron.heard(&format!("N/p{number}/system/0/Serial"));
        }
        assert_eq!(victron.due(at(0)).len(), MAX_PORTALS);
    }

    #[test]
    fn topics_without_the_portal_are_refused() {
        for (topic, can) in [
            ("N/+", true),
            ("N/c0", true),
            ("a/b/N/+", true),
            ("+", false),
            ("N", false),
            ("xN/+", false),
            ("N/#", false),
            ("N/+/grid", false),
        ] {
            assert_eq!(can_ask(&topic.parse().unwrap()), can, "{topic}");
        }
    }
}
