//! Random numbers, loads and prices.

use super::*;

/// Random numbers that are the same each time.
pub(super) struct Random(pub(super) u64);

impl Random {
    /// From 0 to `end`, exclusive.
    pub(super) fn below(&mut self, end: i64) -> i64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        i64::try_from((mixed ^ (mixed >> 31)) >> 2).unwrap() % end
    }

    pub(super) fn of<T: Copy>(&mut self, all: &[T]) -> T {
        all[usize::try_from(self.below(all.len() as i64)).unwrap()]
    }

    /// A price in millionths, a tenth of them negative.
    pub(super) fn price(&mut self) -> i64 {
        let price = (self.below(4_000) + 1) * 100;
        if self.below(10) == 0 { -price } else { price }
    }

    /// Ascending limits in watt-hours.
    pub(super) fn limits(&mut self, count: i64, most: i64) -> Vec<i64> {
        let mut end = 0;
        (0..count)
            .map(|_| {
                end += 100 + self.below(most);
                end
            })
            .collect()
    }
}

/// All quarters of a year in a zone, with random energies and prices.
pub(super) fn quarters(zone: &Zone, random: &mut Random) -> Vec<Quarter> {
    let [start, end] =
        ["2026-01-01", "2026-12-01"].map(|date| LocalDate::parse(date).unwrap().start(zone));
    let holes = random.of(&[0, 0, 1, 20]);
    let scale = 1 + random.below(4);
    let mut all: Vec<Quarter> = Vec::new();
    let mut at = start;
    while at < end {
        let shown = zone.shown_at(at);
        let minute = shown.millis_of_day() / 60_000;
        let is_hole = random.below(1_000) < holes;
        let hour = all.last().map_or(0, |before| {
            let is_new = minute % 60 == 0 || minute / 60 != before.minute / 60;
            before.hour + i64::from(is_new)
        });
        all.push(Quarter {
            start: at,
            date: LocalDate::of_shown(shown),
            minute,
            hour,
            imported: random.below(120 * scale),
            exported: if (540..960).contains(&minute) {
                random.below(300 * scale)
            } else {
                0
            },
            market: (!is_hole).then(|| random.below(500_000) - 80_000),
        });
        at = at.saturating_add_millis(900_000);
    }
    all
}
