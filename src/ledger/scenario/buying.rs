//! A battery that also buys energy from the grid for dear quarters of an hour, and feeds the grid if
//! it may (docs/DECIDE.md).
//!
//! It knows the prices that are known at the time, and no energy to come: it expects what the house
//! drew in the last days beside a battery that buys nothing.

use std::sync::Arc;

use super::battery::{BatteryTerms, BatteryTrade, SimulatedBattery};
use super::published::PublishedPrices;
use super::quarter::HouseQuarter;
use crate::domain::time::MS_PER_HOUR;
use crate::domain::{Decimal, MicroWh};
use crate::ledger::stretch::Flow;

/// A battery with its plans.
#[derive(Clone, Debug)]
pub struct BuyingBattery {
    battery: SimulatedBattery,
    /// The same battery, as if it bought nothing.
    greedy: SimulatedBattery,
    terms: BatteryTerms,
    usual: UsualDraw,
    /// The highest price paid for the bought energy that it holds.
    paid: Option<Decimal>,
    /// The highest credit that its own energy would have earned as feed-in.
    forgone: Decimal,
    /// Whether it feeds the grid.
    sells: bool,
    /// In the quarter with this number its plans end.
    planned_until: i64,
    /// `None` if peaks cost nothing.
    peaks: Option<PeakLimit>,
}

/// The highest energy that the house drew in a quarter of an hour of the running month.
#[derive(Clone, Debug)]
struct PeakLimit {
    /// The numbers of the quarters with which months begin, ascending.
    months: Arc<[i64]>,
    /// The place of the next month in these.
    next: usize,
    highest: MicroWh,
}

/// The energy that a house usually draws from the grid in a quarter of an hour: the mean of the same quarter in
/// the last seven days.
#[derive(Clone, Debug)]
struct UsualDraw {
    /// By the number of the quarter, modulo a week.
    drawn: Vec<Option<MicroWh>>,
    /// By the number of the quarter, modulo a day.
    means: Vec<MicroWh>,
    /// The quarter that is not over, and its energy so far.
    running: (i64, MicroWh),
}

const DAY: i64 = 96;
const WEEK: i64 = 7 * DAY;

impl BuyingBattery {
    /// An empty battery.
    #[must_use]
    pub fn new(terms: BatteryTerms) -> Self {
        Self {
            battery: SimulatedBattery::new(terms),
            greedy: SimulatedBattery::new(terms),
            terms,
            usual: UsualDraw::new(),
            paid: None,
            forgone: Decimal::ZERO,
            sells: false,
            planned_until: i64::MIN,
            peaks: None,
        }
    }

    /// It never raises the peak of a month: what it buys makes the house draw at most as much as it
    /// drew in a quarter of an hour of that month already. Months begin with the quarters of these
    /// ascending numbers.
    #[must_use]
    pub fn below_peaks(mut self, months: &Arc<[i64]>) -> Self {
        self.peaks = Some(PeakLimit {
            months: Arc::clone(months),
            next: 0,
            highest: MicroWh::ZERO,
        });
        self
    }

    /// It also feeds the grid, where the credit pays for that.
    #[must_use]
    pub const fn selling(mut self) -> Self {
        self.sells = true;
        self
    }

    /// Its charged and discharged energy so far, and its content.
    #[must_use]
    pub const fn battery(&self) -> &SimulatedBattery {
        &self.battery
    }

    /// The energy at the grid in the next quarter of an hour, or in a part of it, without the
    /// battery: with it.
    pub fn serve(&mut self, quarter: &HouseQuarter, grid: Flow, known: &PublishedPrices) -> Flow {
        let (number, length_ms) = (
            quarter.number(),
            quarter.end.millis() - quarter.start.millis(),
        );
        if number >= self.planned_until {
            self.battery.forget_purchases();
            self.paid = None;
        }
        let wanted = self.wanted(number, known);
        let sold = match known.credit_at(number) {
            Some(credit) if self.sells && wanted == MicroWh::ZERO => {
                self.sold((number, credit), known)
            }
            _ => (MicroWh::ZERO, MicroWh::ZERO),
        };
        let trade = BatteryTrade {
            wanted,
            released: self.released(number, known),
            sold,
            most_drawn: self
                .peaks
                .as_mut()
                .map(|peaks| peaks.most(number, length_ms)),
        };
        let (before, own_before) = (self.battery.bought(), self.battery.own());
        let served = self.battery.trade(grid, length_ms, trade);
        let bought = self.battery.bought();
        if bought == MicroWh::ZERO {
            self.paid = None;
        } else if bought > before {
            self.paid = self.paid.max(known.at(number));
            self.planned_until = known.known_until(number);
        }
        if self.battery.own() == MicroWh::ZERO {
            self.forgone = Decimal::ZERO;
        } else if self.battery.own() > own_before {
            let credit = known.credit_at(number).unwrap_or_default();
            self.forgone = self.forgone.max(credit);
        }
        if let Some(peaks) = &mut self.peaks {
            peaks.add(served.imported, length_ms);
        }
        let drawn = self.greedy.serve(grid, length_ms).imported;
        self.usual.add(number, drawn);
        served
    }

    /// How much more it would like to hold for later quarters in which a kilowatt-hour bought now
    /// pays, less what quarters before them can take at a lower price.
    fn wanted(&self, number: i64, known: &PublishedPrices) -> MicroWh {
        let Some(price) = known.at(number) else {
            return MicroWh::ZERO;
        };
        let pays_from = self.terms.efficiency.pays_from(price);
        let later = self.terms.efficiency.stored(quarterly(self.terms.charge));
        let nothing = MicroWh::ZERO;
        let (mut need, mut elsewhere, mut wanted) = (nothing, nothing, nothing);
        for (ahead, at) in known.ahead(number) {
            let is_dear = at >= pays_from;
            let sale = self.sale(ahead, known, pays_from);
            if is_dear {
                need = need + self.expected(ahead);
            } else if at < price {
                elsewhere = elsewhere + later;
            }
            if is_dear || sale > nothing {
                need = need + sale;
                wanted = wanted.max(need - elsewhere);
            }
        }
        (wanted - self.battery.bought()).max(nothing)
    }

    /// How much of the bought energy it may give now: if the price pays for it, all that dearer
    /// quarters are not expected to need before it can buy again.
    fn released(&self, number: i64, known: &PublishedPrices) -> MicroWh {
        let (Some(paid), Some(price)) = (self.paid, known.at(number)) else {
            return MicroWh::ZERO;
        };
        let efficiency = self.terms.efficiency;
        if !efficiency.pays(paid, price) {
            return MicroWh::ZERO;
        }
        let before_next = known
            .ahead(number)
            .take_while(|(_, at)| !efficiency.pays(*at, price));
        let kept: MicroWh = before_next
            .map(|ahead| self.worth_more(ahead, known, price))
            .sum();
        (self.battery.bought() - kept).max(MicroWh::ZERO)
    }

    /// How much it may feed in now: of its own energy, and of the bought one. The bought one must be
    /// paid for by the credit, and no later quarter may be worth more before it can buy again. Of its
    /// own it keeps what the house is expected to draw within a day.
    fn sold(
        &self,
        (number, credit): (i64, Decimal),
        known: &PublishedPrices,
    ) -> (MicroWh, MicroWh) {
        let efficiency = self.terms.efficiency;
        let worth = |ahead| self.worth_more(ahead, known, credit);
        let bought = match self.paid {
            Some(paid) if efficiency.pays(paid, credit) => {
                let ahead = known.ahead(number);
                let before_next = ahead.take_while(|(_, at)| !efficiency.pays(*at, credit));
                let kept: MicroWh = before_next.map(worth).sum();
                self.battery.bought() - kept
            }
            _ => MicroWh::ZERO,
        };
        let own = if credit > Decimal::ZERO && efficiency.pays(self.forgone, credit) {
            let a_day = (number + 1..=number + DAY).map(|ahead| self.expected(ahead));
            let ahead = known.ahead(number);
            let sales = ahead.map(|(ahead, _)| self.sale_above(ahead, known, credit));
            self.battery.own() - a_day.sum() - sales.sum()
        } else {
            MicroWh::ZERO
        };
        (own.max(MicroWh::ZERO), bought.max(MicroWh::ZERO))
    }

    /// What a later quarter is expected to use at a price or a credit above this one.
    fn worth_more(
        &self,
        (ahead, at): (i64, Decimal),
        known: &PublishedPrices,
        price: Decimal,
    ) -> MicroWh {
        let drawn = if at > price {
            self.expected(ahead)
        } else {
            MicroWh::ZERO
        };
        drawn + self.sale_above(ahead, known, price)
    }

    /// What it can feed in beside the house's draw in a quarter, if that earns this much at least.
    fn sale(&self, number: i64, known: &PublishedPrices, least: Decimal) -> MicroWh {
        match known.credit_at(number) {
            Some(credit) if self.sells && credit >= least => {
                quarterly(self.terms.discharge) - self.expected(number)
            }
            _ => MicroWh::ZERO,
        }
    }

    /// The same, if it earns more than this.
    fn sale_above(&self, number: i64, known: &PublishedPrices, price: Decimal) -> MicroWh {
        let least = price.saturating_add(Decimal::from_millionths(1));
        self.sale(number, known, least)
    }

    /// The energy that the house is likely to draw in a quarter, as far as the battery can give it.
    fn expected(&self, number: i64) -> MicroWh {
        let drawn = self.usual.mean(number);
        drawn.min(quarterly(self.terms.discharge))
    }
}

impl PeakLimit {
    /// What the house may draw in the next quarter, or in a part of it, without a new peak.
    fn most(&mut self, number: i64, length_ms: i64) -> MicroWh {
        while self
            .months
            .get(self.next)
            .is_some_and(|begin| *begin <= number)
        {
            self.next += 1;
            self.highest = MicroWh::ZERO;
        }
        self.highest.part(length_ms, HouseQuarter::LENGTH_MS)
    }

    fn add(&mut self, drawn: MicroWh, length_ms: i64) {
        let whole = drawn.part(HouseQuarter::LENGTH_MS, length_ms.max(1));
        self.highest = self.highest.max(whole);
    }
}

/// A quarter of an hour of this much an hour.
fn quarterly(an_hour: MicroWh) -> MicroWh {
    an_hour.part(HouseQuarter::LENGTH_MS, MS_PER_HOUR)
}

impl UsualDraw {
    fn new() -> Self {
        let places = |count: i64| usize::try_from(count).unwrap_or_default();
        Self {
            drawn: vec![None; places(WEEK)],
            means: vec![MicroWh::ZERO; places(DAY)],
            running: (i64::MIN, MicroWh::ZERO),
        }
    }

    /// Adds what was drawn in a quarter, or in a part of it.
    fn add(&mut self, number: i64, drawn: MicroWh) {
        if self.running.0 != number {
            self.end_quarter();
            self.running = (number, MicroWh::ZERO);
        }
        self.running.1 = self.running.1 + drawn.max(MicroWh::ZERO);
    }

    fn end_quarter(&mut self) {
        let (number, energy) = self.running;
        if number == i64::MIN {
            return;
        }
        let place = |number: i64, of: i64| usize::try_from(number.rem_euclid(of)).unwrap_or(0);
        if let Some(drawn) = self.drawn.get_mut(place(number, WEEK)) {
            *drawn = Some(energy);
        }
        let days = (0..7).map(|day| place(number + day * DAY, WEEK));
        let days = days.filter_map(|place| self.drawn.get(place).copied().flatten());
        let (mut sum, mut count) = (0_i128, 0_i128);
        for energy in days {
            sum += i128::from(energy.millionths());
            count += 1;
        }
        let mean = i64::try_from(sum / count.max(1)).unwrap_or(i64::MAX);
        if let Some(known) = self.means.get_mut(place(number, DAY)) {
            *known = MicroWh::new(mean);
        }
    }

    /// The mean of the quarters at the same time of day; zero as long as none is known.
    fn mean(&self, number: i64) -> MicroWh {
        let place = usize::try_from(number.rem_euclid(DAY)).unwrap_or(0);
        self.means.get(place).copied().unwrap_or_default()
    }
}

#[cfg(test)]
mod tests;
