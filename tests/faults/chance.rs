//! Reproducible randomness, and the number of rounds.

/// The number of rounds: `short` times `FAULT_ROUNDS`.
pub(crate) fn rounds(short: u64) -> u64 {
    let times = std::env::var("FAULT_ROUNDS").map(|times| times.parse::<u64>().unwrap());
    short * times.unwrap_or(1).max(1)
}

/// A generator of numbers (`SplitMix64`).
pub(crate) struct Chance(u64);

impl Chance {
    /// Creates one with the seed of this run. Prints the seed, so that a failed test shows it.
    pub(crate) fn of_this_run() -> Self {
        let seed = std::env::var("FAULT_SEED").map(|seed| seed.parse().unwrap());
        let seed = seed.unwrap_or_else(|_| getrandom::u64().unwrap() >> 32);
        eprintln!("FAULT_SEED={seed}");
        Self(seed)
    }

    pub(crate) const fn new(seed: u64) -> Self {
        Self(seed)
    }

    pub(crate) const fn number(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        mixed ^ (mixed >> 31)
    }

    /// A number below `end`, which is not 0.
    pub(crate) const fn below(&mut self, end: u64) -> u64 {
        self.number() % end
    }

    /// An index of a list of `length`, which is not 0.
    pub(crate) fn index(&mut self, length: usize) -> usize {
        usize::try_from(self.below(length as u64)).unwrap()
    }

    /// True with a probability of one in `times`.
    pub(crate) const fn one_in(&mut self, times: u64) -> bool {
        self.below(times) == 0
    }
}
