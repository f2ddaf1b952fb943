//! An index of many filters by their levels, so that a topic is compared with only a few.

use std::collections::HashMap;

use crate::ingest::devices::topic::TopicFilter;

/// Filters, each with a number. The path to a node is the levels of a filter; the first node is the
/// root.
#[derive(Debug)]
pub(super) struct FilterIndex {
    nodes: Vec<IndexNode>,
}

#[derive(Debug, Default)]
struct IndexNode {
    /// The child nodes, by level.
    plain: HashMap<String, usize>,
    /// The child node for `+`.
    any: Option<usize>,
    /// The filters that end here.
    here: Vec<usize>,
    /// The filters that end here with a `#`.
    below: Vec<usize>,
}

impl Default for FilterIndex {
    fn default() -> Self {
        let nodes = vec![IndexNode::default()];
        Self { nodes }
    }
}

impl FilterIndex {
    pub(super) fn insert(&mut self, filter: &TopicFilter, number: usize) {
        let mut at = 0;
        for level in filter.as_str().split('/') {
            if level == "#" {
                if let Some(node) = self.nodes.get_mut(at) {
                    node.below.push(number);
                }
                return;
            }
            at = self.behind(at, level);
        }
        if let Some(node) = self.nodes.get_mut(at) {
            node.here.push(number);
        }
    }

    /// Returns the child node for a level, creating it if needed.
    fn behind(&mut self, at: usize, level: &str) -> usize {
        let next = self.nodes.len();
        let Some(node) = self.nodes.get_mut(at) else {
            return at;
        };
        let found = if level == "+" {
            *node.any.get_or_insert(next)
        } else {
            *node.plain.entry(level.to_owned()).or_insert(next)
        };
        if found == next {
            self.nodes.push(IndexNode::default());
        }
        found
    }

    /// Returns the numbers of all matching filters, in order and without repetition.
    pub(super) fn matching(&self, topic: &str) -> Vec<usize> {
        let mut found = Vec::new();
        self.walk(0, Some(topic), topic.starts_with('$'), &mut found);
        found.sort_unstable();
        found.dedup();
        found
    }

    /// With `is_own`, the next level belongs to the broker, and no wildcard matches it.
    fn walk(&self, at: usize, rest: Option<&str>, is_own: bool, found: &mut Vec<usize>) {
        let Some(node) = self.nodes.get(at) else {
            return;
        };
        if !is_own {
            found.extend(&node.below);
        }
        let Some(rest) = rest else {
            found.extend(&node.here);
            return;
        };
        let (level, rest) = match rest.split_once('/') {
            Some((level, rest)) => (level, Some(rest)),
            None => (rest, None),
        };
        if let Some(next) = node.plain.get(level) {
            self.walk(*next, rest, false, found);
        }
        // At most as deep as the longest filter.
        if let Some(next) = node.any.filter(|_| !is_own) {
            self.walk(next, rest, false, found);
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn index(filters: &[TopicFilter]) -> FilterIndex {
        let mut index = FilterIndex::default();
        for (number, filter) in filters.iter().enumerate() {
            index.insert(filter, number);
        }
        index
    }

    #[test]
    fn a_topic_finds_its_filters() {
        let filters = ["a/+", "a/#", "+/b", "#", "$SYS/#", "a/b/c"];
        let filters = filters.map(|text| text.parse().unwrap());
        let index = index(&filters);
        assert_eq!(index.matching("a/b"), [0, 1, 2, 3]);
        assert_eq!(index.matching("a"), [1, 3]);
        assert_eq!(index.matching("$SYS/x"), [4]);
        assert_eq!(index.matching("a/b/c"), [1, 3, 5]);
    }

    proptest! {
        #[test]
        fn it_finds_what_matches(
            filters in proptest::collection::vec("([a-b]|\\+|\\$a)(/([a-b]|\\+|)){0,3}(/#)?|#", 0..12),
            topic in "[ab$]{0,2}(/[ab]?){0,4}",
        ) {
            let filters = filters.iter().map(|text| text.parse::<TopicFilter>());
            let filters: Vec<TopicFilter> = filters.filter_map(Result::ok).collect();
            let expected = filters.iter().enumerate().filter(|(_, filter)| filter.matches(&topic));
            let expected: Vec<usize> = expected.map(|(number, _)| number).collect();
            prop_assert_eq!(index(&filters).matching(&topic), expected);
        }
    }
}
