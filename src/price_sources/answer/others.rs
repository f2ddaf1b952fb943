//! The rates of an answer that are not taken, where a description names one of several.

use std::collections::BTreeSet;

use crate::price_sources::form::SourceForm;

/// The most rates that are told, and the most characters of each of their values.
const MOST: usize = 8;
const LONGEST: usize = 64;

/// The rates that were seen and not taken, as `/payment_method = NON_DIRECT_DEBIT`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(in crate::price_sources) struct OtherRates(BTreeSet<String>);

impl OtherRates {
    /// Whether an entry is of the rate that the form names; another one is noted. `value` has the
    /// values of its places.
    pub(super) fn is_taken(
        &mut self,
        form: &SourceForm,
        value: impl Fn(&str) -> Option<String>,
    ) -> bool {
        let values = form.filters.iter().map(|(place, taken)| {
            let found = value(place);
            (place, found.as_ref() == Some(taken), found)
        });
        let values: Vec<_> = values.collect();
        let is_taken = values.iter().all(|(_, is_taken, _)| *is_taken);
        if !is_taken && self.0.len() < MOST {
            let told = values.iter().map(|(place, _, found)| {
                let found = found.as_deref().unwrap_or("nothing");
                let visible = found.chars().filter(|it| !it.is_control());
                format!("{place} = {}", visible.take(LONGEST).collect::<String>())
            });
            self.0.insert(told.collect::<Vec<_>>().join(", "));
        }
        is_taken
    }

    /// Them, in order.
    pub(in crate::price_sources) fn told(self) -> Vec<String> {
        self.0.into_iter().collect()
    }
}
