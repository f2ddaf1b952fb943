//! This month on the dashboard: its use and cost so far, why they changed, and where they are
//! heading.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, Weak};

use super::periods::PeriodView;
use crate::chart::Wording;
use crate::domain::{Account, AccountName, Decimal, Timestamp};
use crate::house::{ForecastPeriod, HouseEnergies, LikelyAmount, forecast};
use crate::http::pages::frame::figures;
use crate::locks::lock;
use crate::store::{Registry, Store, StoreError};
use crate::texts::Language;

/// This month.
pub(super) struct ThisMonthView {
    /// Its energy and cost so far, and their comparison.
    pub(super) so_far: PeriodView,
    /// The device that accounts for most of the change.
    pub(super) cause: Option<String>,
    /// Where it is heading.
    pub(super) ahead: Option<LikelyView>,
}

/// A likely value at the end of the month.
pub(super) struct LikelyView {
    pub(super) words: String,
    /// The part so far, the lower end and the likely value as parts of the upper end, from 0 to 100.
    pub(super) bar: Option<[u8; 3]>,
}

/// A forecast of the running month.
#[derive(Clone)]
pub(super) struct MonthAhead {
    period: ForecastPeriod,
    currency: String,
}

/// The newest forecast of each account. It takes longer than all else on the dashboard, which an
/// open browser asks for each minute.
#[derive(Default)]
pub(crate) struct MonthsAhead(Mutex<BTreeMap<AccountName, KeptMonth>>);

/// A forecast, until when it holds, and what people had entered when it was made.
struct KeptMonth {
    quarter: i64,
    entered: Weak<Registry>,
    found: Option<MonthAhead>,
}

/// As long a forecast is kept: nothing that is measured meanwhile changes a month by much.
const QUARTER_MS: i64 = 900_000;
/// The most accounts with a forecast in memory.
const MOST_KEPT: usize = 256;

impl MonthsAhead {
    /// The forecast of the running month: as of this quarter of an hour, or of the newest entry if
    /// that is later. `None` if too little is known. Blocks on the disk.
    ///
    /// # Errors
    /// [`StoreError`] if the store could not be read.
    pub(super) fn of(
        &self,
        store: &Store,
        account: &Account,
        now: Timestamp,
    ) -> Result<Option<MonthAhead>, StoreError> {
        let quarter = now.millis().div_euclid(QUARTER_MS);
        let registry = store.registry();
        let entered = Arc::downgrade(&registry);
        if let Some(kept) = lock(&self.0).get(&account.name)
            && kept.quarter == quarter
            && kept.entered.ptr_eq(&entered)
        {
            return Ok(kept.found.clone());
        }
        let answer = forecast(store, account, now)?;
        let mut periods = answer.periods.into_iter();
        let month = periods.find(|it| it.period == "month");
        let found = month.map(|period| MonthAhead {
            period,
            currency: answer.currency.unwrap_or_default(),
        });
        let mut all = lock(&self.0);
        if all.len() >= MOST_KEPT && !all.contains_key(&account.name) {
            all.clear();
        }
        let kept = KeptMonth {
            quarter,
            entered,
            found: found.clone(),
        };
        all.insert(account.name.clone(), kept);
        Ok(found)
    }
}

impl ThisMonthView {
    /// `so_far` is the month of the periods of the house. Blocks on the disk.
    pub(super) fn at(
        (store, months): (&Store, &MonthsAhead),
        account: &Account,
        (so_far, house): (PeriodView, &HouseEnergies),
        (wording, now): (Wording<'_>, Timestamp),
    ) -> Result<Self, StoreError> {
        let ahead = months.of(store, account, now)?;
        let language = wording.language;
        let cause = house.cause_of(|[_, _, _, month, _]| month);
        Ok(Self {
            so_far,
            cause: cause.map(|cause| {
                let by = figures::energy(cause.watthours, language);
                let sign = if cause.watthours > 0.0 { "+" } else { "" };
                let values = [
                    ("name", cause.sensor.name.into()),
                    ("change", format!("{sign}{by}").into()),
                ];
                language.fill("month-cause", values)
            }),
            ahead: ahead.and_then(|ahead| ahead.likely(language)),
        })
    }
}

impl MonthAhead {
    /// The likely costs or, without a contract, the likely energy.
    fn likely(&self, language: &Language) -> Option<LikelyView> {
        let period = &self.period;
        let cost = period.total.as_ref();
        let (numbers, texts) = if let Some(cost) = cost {
            let LikelyAmount {
                so_far,
                low,
                likely,
                high,
            } = cost;
            let number = |text: &String| Decimal::parse(text).unwrap_or_default().to_f64();
            let numbers = [so_far, low, likely, high].map(number);
            let money = |amount| figures::money(amount, &self.currency, language);
            (numbers, numbers.map(money))
        } else {
            let found = period.used.or(period.imported)?;
            let numbers = [found.so_far, found.low, found.likely, found.high];
            (numbers, numbers.map(|it| figures::energy(it, language)))
        };
        let [so_far, low, likely, high] = numbers;
        let [_, low_text, likely_text, high_text] = texts;
        let values = [
            ("likely", likely_text.into()),
            ("low", low_text.into()),
            ("high", high_text.into()),
        ];
        // Credits above the costs have no length.
        let has_bar = high > 0.0 && so_far >= 0.0 && low >= 0.0;
        let part = |value: f64| {
            let percent = (value / high * 100.0).clamp(0.0, 100.0).round();
            #[expect(
                clippy::cast_possible_truncation,
                clippy::cast_sign_loss,
                reason = "from 0 to 100"
            )]
            let percent = percent as u8;
            percent
        };
        Some(LikelyView {
            words: language.fill("month-ahead", values),
            bar: has_bar.then(|| [so_far, low, likely].map(part)),
        })
    }
}
