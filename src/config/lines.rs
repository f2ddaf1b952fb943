//! The positions of keys in the configuration file, for errors.

use std::path::Path;

use toml::de::DeTable;

/// The configuration file and its text.
pub(super) struct ConfigFile<'a> {
    pub(super) path: &'a Path,
    pub(super) text: String,
}

impl ConfigFile<'_> {
    /// The file and the line of a dotted key.
    pub(super) fn place_of(&self, key: &str) -> String {
        let position = DeTable::parse(&self.text)
            .ok()
            .and_then(|table| position_in(table.get_ref(), key));
        self.place_at(position)
    }

    /// The file and the line of the byte at `position`.
    pub(super) fn place_at(&self, position: Option<usize>) -> String {
        let path = self.path.display();
        match position.and_then(|position| self.text.get(..position)) {
            Some(before) => format!("{path}, line {}", before.matches('\n').count() + 1),
            None => path.to_string(),
        }
    }
}

/// The position of a key such as `a.b`, or `a[1].b` in a list of sections. If the section lacks the
/// key, it is the position of the section.
fn position_in(table: &DeTable<'_>, key: &str) -> Option<usize> {
    table.iter().find_map(|(name, value)| {
        // A name that is only a prefix of the key's first part fails below, and the search
        // continues.
        let rest = key.strip_prefix(name.get_ref().as_ref())?;
        if let Some(rest) = rest.strip_prefix('[') {
            let (index, rest) = rest.split_once(']')?;
            let section = value
                .get_ref()
                .as_array()?
                .get(index.parse::<usize>().ok()?)?;
            let within = rest
                .strip_prefix('.')
                .and_then(|key| position_in(section.get_ref().as_table()?, key));
            return within.or(Some(section.span().start));
        }
        match rest.strip_prefix('.') {
            Some(rest) => position_in(value.get_ref().as_table()?, rest),
            None => rest.is_empty().then_some(name.span().start),
        }
    })
}
