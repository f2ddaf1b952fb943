//! `/costs/forecast`: energy and costs until the end of the month and of the year.

use askama::Template;

use super::contracts::layout;
use crate::chart::Wording;
use crate::domain::{Account, Decimal, Interval, Timestamp};
use crate::house::{
    ForecastAnswer, ForecastPeriod, LikelyAmount, LikelyEnergy, TestedMonth, forecast,
};
use crate::http::pages::charts::AccountScope;
use crate::http::pages::frame::account_scope::AccountChip;
use crate::http::pages::frame::figures;
use crate::http::pages::frame::response::ok;
use crate::http::pages::frame::{Layout, PageResult, Visit};
use crate::ledger::forecast::{ChoiceReason, ForecastMethod, MethodScore};
use crate::texts::Language;

#[derive(Template)]
#[template(path = "money/forecast.html")]
struct ForecastPage {
    layout: Layout,
    accounts: Vec<AccountChip>,
    /// `None` without an account.
    shown: Option<ForecastView>,
}

/// The forecast of an account.
struct ForecastView {
    account: String,
    /// Why there is none.
    reason: Option<String>,
    /// Until when readings are known.
    until: Option<String>,
    periods: Vec<ComingPeriod>,
    has_contract: bool,
    /// Its assumptions, as sentences.
    basis: Vec<String>,
    /// The known share of its input.
    facts: Vec<(String, String)>,
    /// How well each method did in the last months.
    methods: Vec<MethodRow>,
    /// How well it did in the last months, as sentences.
    tested: Vec<String>,
    months: Vec<MonthView>,
}

/// A running period.
struct ComingPeriod {
    title: String,
    /// Sentences about what is not in it.
    notes: Vec<String>,
    rows: Vec<LikelyRow>,
}

/// A value: its name, the most likely one, its range, and the part so far.
struct LikelyRow {
    name: String,
    likely: String,
    range: String,
    so_far: String,
}

/// A method, and how well it did.
struct MethodRow {
    name: String,
    is_chosen: bool,
    tested: String,
    median: String,
    most: String,
    held: String,
}

/// A month as it would have been forecast.
struct MonthView {
    name: String,
    likely: String,
    range: String,
    actual: String,
    verdict: String,
}

/// `GET /costs/forecast`
pub(crate) async fn show(visit: Visit) -> PageResult {
    let scope = AccountScope::read(&visit)?;
    let mut page = ForecastPage {
        layout: layout(&visit)?,
        accounts: scope.chips("costs/forecast"),
        shown: None,
    };
    let Some(account) = scope.account else {
        return Ok(ok(&page));
    };
    let now = visit.app.counted_now();
    let asked = account.clone();
    let name = account.name.clone();
    let found = visit.report(&name, move |store| forecast(store, &asked, now));
    let found = found.await??;
    let words = ForecastWords {
        wording: Wording::new(&account.zone, page.layout.language),
        currency: found.currency.clone().unwrap_or_default(),
    };
    page.shown = Some(words.view(&account, &found));
    Ok(ok(&page))
}

/// The wording of a forecast.
struct ForecastWords<'a> {
    wording: Wording<'a>,
    currency: String,
}

impl ForecastWords<'_> {
    fn view(&self, account: &Account, found: &ForecastAnswer) -> ForecastView {
        let language = self.language();
        let known = found.known_until.as_deref();
        let known = known.and_then(|it| Timestamp::parse(it).ok());
        ForecastView {
            account: account.name.to_string(),
            reason: found.reason.as_deref().map(|it| self.reason(it, found)),
            until: known.map(|time| {
                let time = self.wording.date_and_clock(time);
                language.fill("forecast-until", [("time", time.into())])
            }),
            periods: found.periods.iter().map(|it| self.period(it)).collect(),
            has_contract: found.currency.is_some(),
            basis: self.basis(found),
            facts: self.facts(found),
            tested: self.tested(found),
            methods: self.methods(found),
            months: found
                .tested
                .months
                .iter()
                .map(|it| self.month(it))
                .collect(),
        }
    }

    const fn language(&self) -> &Language {
        self.wording.language
    }

    fn reason(&self, reason: &str, found: &ForecastAnswer) -> String {
        if reason == "no-grid" {
            return self.language().say("forecast-no-grid");
        }
        let count = [("count", found.known_days.into())];
        self.language().fill("forecast-few-days", count)
    }

    fn period(&self, period: &ForecastPeriod) -> ComingPeriod {
        let language = self.language();
        let time = |text: &str| Timestamp::parse(text).unwrap_or(Timestamp::MIN);
        let (from, to) = (time(&period.from), time(&period.to));
        let title = match period.period.as_str() {
            "month" => self.wording.bucket_name(from, Interval::Month),
            "year" => self.wording.bucket_name(from, Interval::Year),
            _ => {
                let last = to.saturating_add_millis(-1);
                let [from, to] = [from, last].map(|time| self.wording.date(time));
                let values = [("from", from.into()), ("to", to.into())];
                language.fill("forecast-billing", values)
            }
        };
        let late = period.begins_late.then(|| {
            let date = self.wording.date(from);
            language.fill("forecast-late", [("date", date.into())])
        });
        let unpriced = (period.unpriced > 0.0).then(|| {
            let energy = figures::energy(period.unpriced, language);
            language.fill("forecast-unpriced", [("energy", energy.into())])
        });
        ComingPeriod {
            title,
            notes: late.into_iter().chain(unpriced).collect(),
            rows: self.energies(period).chain(self.amounts(period)).collect(),
        }
    }

    fn energies(&self, period: &ForecastPeriod) -> impl Iterator<Item = LikelyRow> {
        let say = |name| self.language().say(name);
        let all = [
            (say("statement-imported"), period.imported),
            (say("statement-exported"), period.exported),
            (say("forecast-used"), period.used),
        ];
        let energy = move |energy: f64| figures::energy(energy, self.language());
        all.into_iter().filter_map(move |(name, found)| {
            // Most houses feed nothing in.
            let found: LikelyEnergy = found.filter(|it| it.high > 0.0)?;
            let texts = [found.likely, found.low, found.high, found.so_far].map(energy);
            Some(self.row(name, texts))
        })
    }

    fn amounts(&self, period: &ForecastPeriod) -> impl Iterator<Item = LikelyRow> {
        let say = |name| self.language().say(name);
        let has_credit = period.credit.as_ref().is_some_and(|it| it.high != "0");
        let credit = period.credit.as_ref().filter(|_| has_credit);
        let total = period.total.as_ref().filter(|_| has_credit);
        let advances = period.paid.as_ref().map(|paid| LikelyRow {
            name: say("forecast-advances"),
            likely: self.money(paid),
            range: String::new(),
            so_far: String::new(),
        });
        let costs = [
            (say("forecast-costs"), period.cost.as_ref()),
            (say("statement-credits"), credit),
            (say("forecast-total"), total),
        ];
        let balance = [(say("forecast-balance"), period.balance.as_ref())];
        let row = |(name, amount): (String, Option<&LikelyAmount>)| {
            let LikelyAmount {
                so_far,
                low,
                likely,
                high,
            } = amount?;
            let texts = [likely, low, high, so_far].map(|it| self.money(it));
            Some(self.row(name, texts))
        };
        let costs: Vec<LikelyRow> = costs.into_iter().filter_map(row).collect();
        let balance: Vec<LikelyRow> = balance.into_iter().filter_map(row).collect();
        costs.into_iter().chain(advances).chain(balance)
    }

    fn row(&self, name: String, [likely, low, high, so_far]: [String; 4]) -> LikelyRow {
        LikelyRow {
            name,
            likely,
            range: self.range(low, high),
            so_far,
        }
    }

    fn range(&self, low: String, high: String) -> String {
        let values = [("low", low.into()), ("high", high.into())];
        self.language().fill("forecast-from-to", values)
    }

    fn money(&self, amount: &str) -> String {
        let amount = Decimal::parse(amount).unwrap_or_default();
        figures::money(amount.to_f64(), &self.currency, self.language())
    }

    fn facts(&self, found: &ForecastAnswer) -> Vec<(String, String)> {
        let language = self.language();
        let share = |share: f64| figures::share(share, language);
        let days = figures::count(found.known_days.into(), language);
        let method = |method: Option<ForecastMethod>| method.map(|it| self.method(it));
        let [of_export, of_use] = [found.exported_method, found.used_method].map(method);
        let has = |of: &dyn Fn(&ForecastPeriod) -> Option<LikelyEnergy>| {
            let mut energies = found.periods.iter().filter_map(of);
            energies.any(|energy| energy.high > 0.0)
        };
        let facts = [
            (
                has(&|it| it.exported),
                language.say("forecast-method-of-export"),
                of_export.unwrap_or_default(),
            ),
            (
                has(&|it| it.used),
                language.say("forecast-method-of-use"),
                of_use.unwrap_or_default(),
            ),
            (true, language.say("forecast-known-days"), days),
            (
                found.estimated > 0.0,
                language.say("statement-estimated"),
                share(found.estimated),
            ),
            (
                found.missing > 0.0,
                language.say("statement-missing"),
                share(found.missing),
            ),
        ];
        let told = facts.into_iter().filter(|(is_told, ..)| *is_told);
        told.map(|(_, name, value)| (name, value)).collect()
    }

    /// The method of the import, why it is that one, and what else is assumed.
    fn basis(&self, found: &ForecastAnswer) -> Vec<String> {
        let language = self.language();
        let method = found.method.map(|it| self.method(it)).unwrap_or_default();
        let later = if found.has_last_year {
            language.say("forecast-basis-year")
        } else {
            language.say("forecast-basis-recent")
        };
        let reason = match found.method_reason {
            Some(ChoiceReason::Nearer) => language.say("forecast-reason-nearer"),
            Some(ChoiceReason::FirstChoice) => language.say("forecast-reason-first"),
            _ => language.say("forecast-reason-untested"),
        };
        let chosen = language.fill("forecast-basis-method", [("method", method.into())]);
        let rest = language.say("forecast-basis-rest");
        vec![format!("{chosen} {reason}"), format!("{later} {rest}")]
    }

    fn method(&self, method: ForecastMethod) -> String {
        let language = self.language();
        match method {
            ForecastMethod::LastDaysAndLastYear => language.say("forecast-days-and-year"),
            ForecastMethod::LastDays => language.say("forecast-days"),
            ForecastMethod::MonthSoFar => language.say("forecast-month-so-far"),
            ForecastMethod::LastWeeks => language.say("forecast-weeks"),
            ForecastMethod::LastYear => language.say("forecast-year"),
            ForecastMethod::LastYearScaled => language.say("forecast-year-scaled"),
            ForecastMethod::MonthSoFarAndLastYear => language.say("forecast-month-and-year"),
            ForecastMethod::LastDaysAndLastYearScaled => {
                language.say("forecast-days-and-year-scaled")
            }
        }
    }

    /// How well it did.
    fn tested(&self, found: &ForecastAnswer) -> Vec<String> {
        let language = self.language();
        let tested = &found.tested;
        let Some(errors) = tested.errors else {
            return vec![language.say("forecast-tested-none")];
        };
        let share = |share: f64| figures::share(share, language);
        let values = [
            ("count", tested.months.len().into()),
            ("within", tested.within.into()),
            ("error", share(errors.median_error).into()),
            ("most", share(errors.p90_error).into()),
        ];
        let all = language.fill("forecast-tested-lead", values);
        vec![all, language.say("forecast-tested-methods")]
    }

    fn methods(&self, found: &ForecastAnswer) -> Vec<MethodRow> {
        let language = self.language();
        let share = |share: f64| figures::share(share, language);
        let count =
            |count: usize| figures::count(u64::try_from(count).unwrap_or_default(), language);
        let row = |score: &MethodScore| MethodRow {
            name: self.method(score.method),
            is_chosen: found.method == Some(score.method),
            tested: count(score.tested),
            median: share(score.errors.median_error),
            most: share(score.errors.p90_error),
            held: count(score.held),
        };
        found.tested.methods.iter().map(row).collect()
    }

    fn month(&self, tested: &TestedMonth) -> MonthView {
        let language = self.language();
        let energy = |energy: f64| figures::energy(energy, language);
        // A month has no clock: its first day is in UTC.
        let begin = Timestamp::parse_date(&format!("{}-01", tested.month));
        let noon = begin.map(|begin| begin.saturating_add_millis(43_200_000));
        let noon = noon.unwrap_or(Timestamp::MIN);
        MonthView {
            name: self.wording.bucket_name(noon, Interval::Month),
            likely: energy(tested.likely),
            range: self.range(energy(tested.low), energy(tested.high)),
            actual: energy(tested.actual),
            verdict: if tested.within {
                language.say("forecast-held")
            } else {
                language.say("forecast-missed")
            },
        }
    }
}
