//! Stretches that are partly replaced by a person's correction.

use std::collections::{BTreeMap, VecDeque};
use std::ops::Range;

use super::stretch::Stretch;
use crate::domain::Timestamp;

/// These pieces replace the energy of readings in a range.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Replacement {
    range: Range<Timestamp>,
    pieces: Vec<Stretch>,
}

/// Replaces parts of stretches.
pub struct ReplacementWalk {
    /// In time order, without overlap.
    later: VecDeque<Replacement>,
    /// The end of the last replacement that was passed.
    replaced_until: Timestamp,
}

impl Replacement {
    /// Replaces the energy from the start of `range` until its end; `None` if it is empty, or the
    /// pieces are not in time order, overlap or stick out of it.
    #[must_use]
    pub fn new(range: Range<Timestamp>, pieces: Vec<Stretch>) -> Option<Self> {
        let mut end = range.start;
        let fits = pieces.iter().all(|piece| {
            let follows = end <= piece.from && piece.from < piece.to && piece.to <= range.end;
            end = piece.to;
            follows
        });
        (fits && !range.is_empty()).then_some(Self { range, pieces })
    }

    /// The part of it from `from` until `to`.
    fn part(&self, from: Timestamp, to: Timestamp) -> Option<Self> {
        let range = self.range.start.max(from)..self.range.end.min(to);
        let pieces = self
            .pieces
            .iter()
            .filter_map(|piece| piece.part(range.clone()));
        let pieces = pieces.collect();
        (!range.is_empty()).then_some(Self { range, pieces })
    }
}

impl ReplacementWalk {
    /// A walk with these replacements. Where some overlap, the last one in the list holds.
    #[must_use]
    pub fn new(replacements: impl IntoIterator<Item = Replacement>) -> Self {
        // By their starts, without overlap.
        let mut disjoint: BTreeMap<Timestamp, Replacement> = BTreeMap::new();
        for newer in replacements {
            let Range { start, end } = newer.range;
            let reaches_in = |(_, older): &(&Timestamp, &Replacement)| start < older.range.end;
            let hidden = disjoint.range(..end).rev().take_while(reaches_in);
            let hidden: Vec<Timestamp> = hidden.map(|(from, _)| *from).collect();
            for older in hidden
                .iter()
                .filter_map(|from| disjoint.remove(from))
                .collect::<Vec<_>>()
            {
                let parts = [
                    older.part(Timestamp::MIN, start),
                    older.part(end, Timestamp::MAX),
                ];
                let parts = parts.into_iter().flatten();
                disjoint.extend(parts.map(|part| (part.range.start, part)));
            }
            disjoint.insert(start, newer);
        }
        Self {
            later: disjoint.into_values().collect(),
            replaced_until: Timestamp::MIN,
        }
    }

    /// Adds the next stretch, in time order.
    pub fn add(&mut self, stretch: &Stretch, sink: &mut impl FnMut(Stretch)) {
        let begins = |next: &Replacement| next.range.start < stretch.to;
        while self.later.front().is_some_and(begins)
            && let Some(next) = self.later.pop_front()
        {
            let before = stretch.part(self.replaced_until..next.range.start);
            self.replaced_until = next.range.end;
            before.into_iter().chain(next.pieces).for_each(&mut *sink);
        }
        stretch
            .part(self.replaced_until..stretch.to)
            .into_iter()
            .for_each(sink);
    }

    /// Gives out the replacements after the last stretch.
    pub fn finish(&mut self, sink: &mut impl FnMut(Stretch)) {
        self.later
            .drain(..)
            .flat_map(|replacement| replacement.pieces)
            .for_each(sink);
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::domain::MicroWh;
    use crate::domain::time::at;
    use crate::ledger::stretch::Flow;

    fn stretch(from: i64, to: i64, imported: i64) -> Stretch {
        Stretch {
            from: at(from),
            to: at(to),
            flow: Flow {
                imported: MicroWh::new(imported),
                exported: MicroWh::ZERO,
            },
            is_estimated: false,
        }
    }

    /// A range with one piece that fills it.
    fn replacement(from: i64, to: i64, imported: i64) -> Replacement {
        Replacement::new(at(from)..at(to), vec![stretch(from, to, imported)]).unwrap()
    }

    fn replaced(stretches: &[Stretch], replacements: Vec<Replacement>) -> Vec<Stretch> {
        let mut walk = ReplacementWalk::new(replacements);
        let mut all = Vec::new();
        for stretch in stretches {
            walk.add(stretch, &mut |stretch| all.push(stretch));
        }
        walk.finish(&mut |stretch| all.push(stretch));
        all
    }

    #[test]
    fn energy_outside_is_untouched() {
        let readings = [
            stretch(0, 10, 100),
            stretch(10, 20, 200),
            stretch(30, 40, 400),
        ];
        assert_eq!(
            replaced(&readings, vec![replacement(5, 12, 7)]),
            [
                stretch(0, 5, 50),
                stretch(5, 12, 7),
                stretch(12, 20, 160),
                stretch(30, 40, 400)
            ]
        );
        // Within one stretch, in a silence, and after all.
        assert_eq!(
            replaced(
                &readings,
                vec![
                    replacement(2, 4, 1),
                    replacement(22, 24, 2),
                    replacement(50, 60, 3)
                ]
            ),
            [
                stretch(0, 2, 20),
                stretch(2, 4, 1),
                stretch(4, 10, 60),
                readings[1],
                stretch(22, 24, 2),
                readings[2],
                stretch(50, 60, 3),
            ]
        );
    }

    #[test]
    fn nothing_known_is_a_replacement_too() {
        let unknown = Replacement::new(at(0)..at(10), Vec::new()).unwrap();
        assert_eq!(
            replaced(&[stretch(0, 20, 10)], vec![unknown]),
            [stretch(10, 20, 5)]
        );
    }

    #[test]
    fn the_last_replacement_holds() {
        let both = |first, second| replaced(&[], vec![first, second]);
        let (long, short) = (replacement(0, 30, 30), replacement(10, 20, 1));
        assert_eq!(
            both(long.clone(), short.clone()),
            [stretch(0, 10, 10), stretch(10, 20, 1), stretch(20, 30, 10)]
        );
        assert_eq!(both(short, long), [stretch(0, 30, 30)]);
    }

    #[test]
    fn pieces_must_fit() {
        let new = |pieces| Replacement::new(at(0)..at(10), pieces);
        assert!(new(vec![stretch(0, 4, 1), stretch(6, 10, 1)]).is_some());
        for pieces in [
            vec![stretch(0, 11, 1)],
            vec![stretch(-1, 5, 1)],
            vec![stretch(5, 6, 1), stretch(0, 5, 1)],
            vec![stretch(0, 6, 1), stretch(5, 10, 1)],
            vec![stretch(5, 5, 1)],
        ] {
            assert_eq!(new(pieces), None);
        }
        assert_eq!(Replacement::new(at(5)..at(5), Vec::new()), None);
    }

    proptest! {
        /// Millisecond for millisecond: it is covered by the last replacement in the list, or else
        /// the readings.
        #[test]
        fn each_moment_is_told_by_the_last_word(
            lengths in proptest::collection::vec((1_i64..9, 0_i64..5, 0_i64..1_000), 0..9),
            ranges in proptest::collection::vec((0_i64..60, 1_i64..20, 0_i64..1_000), 0..5),
        ) {
            let mut end = 0;
            let readings: Vec<_> = lengths.iter().map(|&(length, silence, energy)| {
                let from = end + silence;
                end = from + length;
                stretch(from, end, energy)
            }).collect();
            let replacements: Vec<_> = ranges.iter().map(|&(from, length, energy)| replacement(from, from + length, energy)).collect();
            let all = replaced(&readings, replacements.clone());
            prop_assert!(all.windows(2).all(|pair| pair[0].to <= pair[1].from));
            for ms in 0..100 {
                let flow = |stretches: &[Stretch]| {
                    let flows = stretches.iter().map(|stretch| stretch.flow_between(at(ms), at(ms + 1)));
                    flows.sum::<Flow>().imported.millionths()
                };
                let last = replacements.iter().rfind(|replacement| replacement.range.contains(&at(ms)));
                let expected = last.map_or_else(|| flow(&readings), |last| flow(&last.pieces));
                // A cut piece is rounded again at its ends.
                prop_assert!((flow(&all) - expected).abs() <= 2, "{} {}", flow(&all), expected);
            }
        }
    }
}
