//! What an answer assumes.

use super::WhatIf;
use super::question::{Dispatch, LoadChange};
use crate::domain::words::words;

/// An assumption of an answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WhatIfAssumption {
    /// People use what they used.
    SameUse,
    /// The battery serves the house alone.
    Greedy,
    /// The battery also buys energy.
    Buying,
    /// The battery also buys energy, and feeds the grid.
    Trading,
    /// The house's own battery is taken out.
    Replaced,
    /// The house's own battery stays.
    Kept,
    /// New panels have a profile.
    Profile,
    /// A load runs when it is cheapest.
    Cheapest,
}

words! {
    WhatIfAssumption: SameUse "same-use", Greedy "greedy", Buying "buying", Trading "trading",
        Replaced "replaced", Kept "kept", Profile "profile", Cheapest "cheapest";
    "an assumption"
}

impl WhatIfAssumption {
    /// The same as a sentence.
    pub(super) const fn sentence(self) -> &'static str {
        match self {
            Self::SameUse => {
                "The house uses the same energy at the same times, except for the load asked about, at any price."
            }
            Self::Greedy => {
                "The battery takes only what the house would feed in, gives it back as soon as the house draws, never feeds the grid, and begins the range empty; energy left at the end is worth nothing. Unless the question says so, it draws nothing itself and does not age."
            }
            Self::Buying => {
                "The battery also takes energy from the grid when that pays after losses, by the prices known at the time and the use of the last seven days; it never feeds the grid, begins the range empty, and energy left at the end is worth nothing. Unless the question says so, it draws nothing itself and does not age. Of the rules that buy, and the one that does not, the cheapest is shown."
            }
            Self::Trading => {
                "The contract lets the battery feed the grid. It also takes energy from the grid and feeds it in when that pays after losses, by the prices and credits known at the time and the use of the last seven days; it begins the range empty, and energy left at the end is worth nothing. Unless the question says so, it draws nothing itself and does not age. Of the rules that trade or buy, and the one that does neither, the cheapest is shown."
            }
            Self::Replaced => "The battery that the house has is taken out first.",
            Self::Kept => "The battery that the house has goes on as it did.",
            Self::Profile => {
                "The new panels give in each hour what the profile has for that hour of the year, in UTC."
            }
            Self::Cheapest => {
                "The load runs in the cheapest quarters of an hour, by the prices of all components, as if people had known them."
            }
        }
    }
}

impl WhatIf {
    /// What this answer assumes.
    #[must_use]
    pub fn assumptions(&self) -> Vec<WhatIfAssumption> {
        let battery = self.question.battery.as_ref();
        let battery = battery.map(|battery| match battery.dispatch {
            Dispatch::Greedy => WhatIfAssumption::Greedy,
            Dispatch::Prices => WhatIfAssumption::Buying,
            Dispatch::Trading => WhatIfAssumption::Trading,
        });
        let own = match battery {
            Some(_) => WhatIfAssumption::Replaced,
            None => WhatIfAssumption::Kept,
        };
        let own = self.had_battery.then_some(own);
        let profile = self.question.panels.added.as_ref();
        let profile = profile.map(|_| WhatIfAssumption::Profile);
        let load = self.question.load.as_ref();
        let cheapest =
            load.filter(|load| matches!(load.change, LoadChange::Move | LoadChange::AddCheapest));
        let cheapest = cheapest.map(|_| WhatIfAssumption::Cheapest);
        let all = [
            Some(WhatIfAssumption::SameUse),
            battery,
            own,
            profile,
            cheapest,
        ];
        all.into_iter().flatten().collect()
    }
}
