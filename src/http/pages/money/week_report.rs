//! The weekly message: energy and cost, the change and its cause, the cheapest hours, and a bar for
//! each day.

use askama::Template;

use super::written::{account_note, report};
use crate::chart::Wording;
use crate::domain::{Calendar, Currency, Interval, LocalDate, SoFar, TimeRange};
use crate::house::{
    CheapestError, CheapestForm, CheapestView, CourseRanges, EnergyColumn, EnergyCourse, EnergyRow,
    history_begins,
};
use crate::http::pages::frame::figures;
use crate::notices::{AskedReport, WrittenReport};
use crate::store::{Store, StoreError};
use crate::texts::{Language, TextValue};

/// The share of the energy without a price up to which a cost is told.
const LEAST_UNPRICED: f64 = 0.01;

#[derive(Template)]
#[template(path = "reports/week.html")]
struct WeekLetter {
    language: &'static Language,
    title: String,
    sentences: Vec<String>,
    bars: Vec<DayBar>,
}

/// A day of the week.
struct DayBar {
    name: String,
    /// Its energy in words.
    energy: String,
    /// The length of its bar and the rest, in percent.
    filled: u8,
    rest: u8,
}

/// The weekly message; `None` if nothing is known of the week. Blocks on the disk.
pub(super) fn week(
    store: &Store,
    asked: &AskedReport<'_>,
) -> Result<Option<WrittenReport>, StoreError> {
    let account = asked.account;
    let week = &asked.period.range;
    let end = week.end.min(asked.now);
    let is_over = end == week.end;
    let mut weeks = Calendar::new(account.zone.clone(), Interval::Week);
    let before = weeks.bucket(week.start.saturating_add_millis(-1)).start();
    let so_far = if is_over {
        let range = |start, end| TimeRange::new(start, end).unwrap_or(TimeRange::at(start));
        SoFar {
            now: range(week.start, week.end),
            before: range(before, week.start),
        }
    } else {
        weeks.so_far(end)
    };
    let ranges = CourseRanges {
        range: week.start..end,
        before: before..week.start,
        so_far,
        interval: Interval::Day,
        with_sources: false,
    };
    let course = EnergyCourse::of(store, account, &ranges, asked.now)?;
    let Some(used) = course.whole.as_ref().and_then(used) else {
        return Ok(None);
    };
    // Before the first reading nothing is missing, and nothing can be compared.
    let begins = history_begins(store, &account.name)?;
    let is_known = begins.is_some_and(|begin| begin <= so_far.before.start());
    let words = WeekWords {
        course: &course,
        wording: Wording::new(&account.zone, asked.language),
    };
    let change = is_known.then(|| words.change(used)).flatten();
    let cheapest = cheapest(store, asked)?;
    let first = words.sentence(used, is_over, change);
    let note = account_note(store, account, asked.language);
    let sentences = [Some(first), cheapest, words.missing(), note];
    let sentences: Vec<String> = sentences.into_iter().flatten().collect();
    let letter = WeekLetter {
        language: asked.language,
        title: words.title(used),
        bars: words.bars(),
        sentences,
    };
    let text = letter.sentences.join(" ");
    Ok(report(letter.title.clone(), text, &letter))
}

/// What the house used; of one that cannot know it, what it drew.
fn used(row: &EnergyRow) -> Option<f64> {
    let used = row.value(EnergyColumn::Used);
    used.or_else(|| row.value(EnergyColumn::Imported))
}

struct WeekWords<'a> {
    course: &'a EnergyCourse,
    wording: Wording<'a>,
}

impl WeekWords<'_> {
    const fn language(&self) -> &Language {
        self.wording.language
    }

    fn title(&self, used: f64) -> String {
        let energy = figures::energy(used, self.language());
        if let Some(cost) = self.cost() {
            let values = [("energy", energy.into()), ("cost", cost.into())];
            self.language().fill("report-week-title-cost", values)
        } else {
            let values = [("energy", energy.into())];
            self.language().fill("report-week-title", values)
        }
    }

    /// The costs less the credits, if they cover the energy.
    fn cost(&self) -> Option<String> {
        let row = self.course.whole.as_ref()?;
        let unpriced = row.value(EnergyColumn::Unpriced);
        let is_priced = unpriced.is_none_or(|share| share <= LEAST_UNPRICED);
        let credit = row.value(EnergyColumn::Credit).unwrap_or_default();
        let cost = row.value(EnergyColumn::Cost).filter(|_| is_priced)? - credit;
        let currency = self.course.currency.as_ref().map(Currency::as_str)?;
        Some(figures::money(cost, currency, self.language()))
    }

    /// Energy, cost, the change and its cause.
    fn sentence(&self, used: f64, is_over: bool, change: Option<String>) -> String {
        let language = self.language();
        let mut values: Vec<(&str, TextValue<'_>)> =
            vec![("energy", figures::energy(used, language).into())];
        let cost = self.cost();
        let has_cost = cost.is_some();
        values.extend(cost.map(|cost| ("cost", cost.into())));
        let week = match (is_over, has_cost) {
            (false, false) => language.fill("report-week-so-far", &values),
            (false, true) => language.fill("report-week-so-far-cost", &values),
            (true, false) => language.fill("report-week-over", &values),
            (true, true) => language.fill("report-week-over-cost", &values),
        };
        match change {
            Some(change) => {
                let values = [("week", week.into()), ("change", change.into())];
                language.fill("report-week-and-change", values)
            }
            None => language.fill("report-week-alone", [("week", week.into())]),
        }
    }

    /// The change, and the device that most of it comes from.
    fn change(&self, used_now: f64) -> Option<String> {
        let language = self.language();
        let rows = [&self.course.whole, &self.course.compared];
        let is_whole =
            |row: &&Option<EnergyRow>| row.as_ref().is_some_and(EnergyRow::is_comparable);
        rows.iter().all(is_whole).then_some(())?;
        let before = self.course.compared.as_ref().and_then(used)?;
        let percent = figures::percent(used_now, before, language)?;
        if !percent.is_more && !percent.is_less {
            return Some(language.say("report-change-none"));
        }
        let cause = self.course.uses.cause_of(used_now - before);
        let mut values: Vec<(&str, TextValue<'_>)> = vec![("percent", percent.text.into())];
        let has_cause = cause.is_some();
        if let Some(cause) = cause {
            let energy = figures::energy(cause.watthours.abs(), language);
            values.push(("device", cause.sensor.name.into()));
            values.push(("energy", energy.into()));
        }
        Some(match (percent.is_more, has_cause) {
            (true, true) => language.fill("report-change-more-by", &values),
            (true, false) => language.fill("report-change-more", &values),
            (false, true) => language.fill("report-change-less-by", &values),
            (false, false) => language.fill("report-change-less", &values),
        })
    }

    /// That readings are missing.
    fn missing(&self) -> Option<String> {
        let row = self.course.whole.as_ref()?;
        let missing = row
            .value(EnergyColumn::Partial)
            .filter(|_| !row.is_comparable())?;
        let share = figures::share(missing, self.language());
        Some(
            self.language()
                .fill("report-missing", [("share", share.into())]),
        )
    }

    fn bars(&self) -> Vec<DayBar> {
        let energies = self.course.buckets.iter();
        let energies = energies.map(|day| (day.time.start(), day.row.as_ref().and_then(used)));
        let energies: Vec<_> = energies.collect();
        let most = energies.iter().filter_map(|(_, used)| *used);
        let most = most.fold(0.0, f64::max);
        let bars = energies.iter().map(|(start, used)| {
            let share = used.filter(|_| most > 0.0).map_or(0.0, |used| used / most);
            #[expect(
                clippy::cast_possible_truncation,
                clippy::cast_sign_loss,
                reason = "from 0 to 100"
            )]
            let filled = (share.clamp(0.0, 1.0) * 100.0).round() as u8;
            DayBar {
                name: self.wording.weekday(*start, false),
                energy: used.map_or_else(
                    || figures::UNKNOWN.to_owned(),
                    |used| figures::energy(used, self.language()),
                ),
                filled,
                rest: 100_u8.saturating_sub(filled),
            }
        });
        bars.collect()
    }
}

/// The cheapest hours of tomorrow or, if its prices are not known yet, of the rest of today, as a
/// sentence; `None` where no hour is cheaper than another.
fn cheapest(store: &Store, asked: &AskedReport<'_>) -> Result<Option<String>, StoreError> {
    let account = asked.account;
    let today = LocalDate::at(asked.now, &account.zone);
    let day = |days| today.plus_days(days).map(|date| date.to_string());
    let tomorrow = CheapestForm {
        start: day(1),
        before: day(2),
        ..CheapestForm::default()
    };
    let rest = CheapestForm {
        before: day(1),
        ..CheapestForm::default()
    };
    for (form, text) in [(tomorrow, "tomorrow"), (rest, "today")] {
        let found = form
            .question()
            .and_then(|question| CheapestView::of(store, account, &question, asked.now));
        let found = match found {
            Ok(found) => found,
            Err(CheapestError::Store(error)) => return Err(error),
            Err(_) => continue,
        };
        let is_whole = found.known_until().is_none() && !found.known.are_equal;
        let ends = found.time.start().zip(found.time.end());
        if let Some((from, to)) = ends.filter(|_| is_whole) {
            let (wording, language) = (Wording::new(&account.zone, asked.language), asked.language);
            let currency = found.currency.as_str();
            let (unit, size) = figures::minor_unit(currency, language);
            let price = found.time.mean.to_f64() * size;
            let unit = figures::per_kwh(unit);
            let values = [
                ("date", wording.date(from).into()),
                ("from", wording.clock(from).into()),
                ("to", wording.clock(to).into()),
                (
                    "price",
                    figures::rounded_price(price, (size, &unit), language).into(),
                ),
            ];
            return Ok(Some(if text == "today" {
                language.fill("report-cheapest-today", values)
            } else {
                language.fill("report-cheapest-tomorrow", values)
            }));
        }
    }
    Ok(None)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::time::at;
    use crate::domain::{Account, Decimal, MeterKind, ReportKind, Role, Timestamp};
    use crate::house::tests::{import, open};
    use crate::http::pages::write_report;
    use crate::ledger::contract::{ContractChange, Label, PriceLength, PriceSeries};
    use crate::notices::ReportPeriod;

    const HOUR_MS: i64 = 3_600_000;
    /// Monday, midnight in Berlin: the week before begins.
    const BEGIN: &str = "2026-11-15T23:00:00";

    fn hour(nth: u32) -> Timestamp {
        at(BEGIN).saturating_add_millis(i64::from(nth) * HOUR_MS)
    }

    /// A house that draws 500 W, and a kilowatt in the second week, when its heat pump draws more.
    fn house(dir: &std::path::Path, hours: u32) -> (Store, Account) {
        let sensors = [("grid", Role::GridImport), ("<Pumpe>", Role::SubMeter)];
        let sensors = sensors.map(|(name, role)| (name, role, MeterKind::Counter));
        let (store, account) = open(dir, &sensors);
        for (name, before, after) in [("grid", 500, 1_000), ("<Pumpe>", 100, 500)] {
            let total = |hours: u32| hours.min(168) * before + hours.saturating_sub(168) * after;
            let registers = (0..=hours).map(|nth| (hour(nth), f64::from(total(nth))));
            import(&store, name, &registers.collect::<Vec<_>>());
        }
        (store, account)
    }

    fn written(
        (store, account): (&Store, &Account),
        (kind, sensor): (ReportKind, Option<&str>),
        (from, to): (Timestamp, Timestamp),
        now: Timestamp,
        tag: &str,
    ) -> Option<WrittenReport> {
        let sensor = sensor.map(crate::house::tests::id);
        let asked = AskedReport {
            account,
            kind,
            sensor: sensor.as_ref(),
            period: &ReportPeriod {
                first: LocalDate::at(from, &account.zone),
                range: from..to,
            },
            now,
            language: Language::of_tag(tag).unwrap(),
        };
        let mut written = write_report(store, &asked).unwrap()?;
        // Thin spaces, and the invisible marks around values.
        for text in [&mut written.title, &mut written.text, &mut written.html] {
            *text = text
                .replace('\u{202F}', " ")
                .replace(['\u{2068}', '\u{2069}'], "");
        }
        Some(written)
    }

    #[test]
    fn a_week_is_two_sentences_and_seven_bars() {
        let dir = tempfile::tempdir().unwrap();
        // Until Sunday, 20:00.
        let (store, account) = house(dir.path(), 332);
        let weekly = |now, tag| {
            let week = (hour(168), hour(336));
            written(
                (&store, &account),
                (ReportKind::Weekly, None),
                week,
                now,
                tag,
            )
        };
        let english = weekly(hour(332), "en").unwrap();
        assert_eq!(english.title, "Your week: 164 kWh, 82.00 €");
        assert_eq!(
            english.text,
            "This week the house used 164 kWh for 82.00 €: 100 % more energy than in the week before, mostly because of <Pumpe> (65.6 kWh more)."
        );
        let german = weekly(hour(332), "de").unwrap();
        assert_eq!(
            german.text,
            "Diese Woche hat das Haus 164 kWh für 82,00 € verbraucht: 100 % mehr Energie als in der Woche davor, vor allem durch <Pumpe> (65,6 kWh mehr)."
        );
        assert_eq!(german.html.matches("bgcolor").count(), 7, "{}", german.html);
        assert!(german.html.contains("Mo 23") && german.html.contains("&#60;Pumpe&#62;"));
        for loaded in ["<img", "<svg", "src=", "url(", "http", "<script", "style="] {
            assert!(!german.html.contains(loaded), "{loaded}");
        }
        // On Monday morning the week is over, and four hours of it are missing.
        let over = weekly(hour(343), "en").unwrap();
        assert!(
            over.text.starts_with("Last week the house used 164 kWh"),
            "{}",
            over.text
        );
        assert!(
            over.text
                .contains("Readings are missing for 2.4 % of the time."),
            "{}",
            over.text
        );
        // The week before has none to be compared with, and the one before that has no readings.
        let week = |from: i64| {
            let from = at(BEGIN).saturating_add_millis(from * HOUR_MS);
            let range = (from, from.saturating_add_millis(168 * HOUR_MS));
            written(
                (&store, &account),
                (ReportKind::Weekly, None),
                range,
                hour(332),
                "en",
            )
        };
        assert_eq!(
            week(0).unwrap().text,
            "Last week the house used 84.0 kWh for 42.00 €."
        );
        assert_eq!(week(-168), None);
        assert_eq!(week(336), None);
    }

    #[test]
    fn the_cheapest_hours_are_told_if_they_are_known() {
        let dir = tempfile::tempdir().unwrap();
        let (store, account) = house(dir.path(), 332);
        let contract = r#"[{"from":"2026-01-01","name":"Market","currency":"EUR","components":[{"energy":{"series":"spot"}}]}]"#;
        let put = ContractChange::parse(contract).unwrap();
        let name = account.name.clone();
        store
            .edit(move |edit| edit.change_contracts(&name, put))
            .unwrap();
        let told = |now| {
            let week = (hour(168), hour(336));
            let of = (ReportKind::Weekly, None);
            written((&store, &account), of, week, now, "en")
                .unwrap()
                .text
        };
        let put = |hours: u32| {
            let price = |nth: u32| {
                let price = if (348..351).contains(&nth) { 12 } else { 30 };
                (hour(nth), Some(Decimal::from_millionths(price * 10_000)))
            };
            let prices = (0..hours).map(price).collect();
            let name = Label::new("spot").unwrap();
            let series = PriceSeries::from_beginnings(name, prices, PriceLength::Hour).unwrap();
            store.put_prices_durably(&account.name, &series).unwrap();
        };
        // Today's are all equal, and tomorrow's are not known yet.
        put(336);
        assert!(!told(hour(332)).contains("cheapest"));
        put(360);
        let cheapest =
            "Tomorrow, 30 Nov 2026, electricity is cheapest from 12:00 to 15:00, at 12.0 ct / kWh.";
        assert!(told(hour(332)).ends_with(cheapest), "{}", told(hour(332)));
        let cheapest =
            "Today, 30 Nov 2026, electricity is cheapest from 12:00 to 15:00, at 12.0 ct / kWh.";
        assert!(told(hour(343)).contains(cheapest), "{}", told(hour(343)));
    }

    #[test]
    fn a_statement_is_a_page_of_the_house_or_a_sub_meter() {
        let dir = tempfile::tempdir().unwrap();
        let (store, account) = house(dir.path(), 500);
        // November: the first readings are of the sixteenth.
        let month = (at("2026-10-31T23:00:00"), at("2026-11-30T23:00:00"));
        let monthly = |sensor, tag| {
            let now = at("2026-12-01T06:00:00");
            written(
                (&store, &account),
                (ReportKind::Monthly, sensor),
                month,
                now,
                tag,
            )
        };
        let found = monthly(None, "en").unwrap();
        assert_eq!(found.title, "Statement Nov 2026: House");
        assert_eq!(
            found.text,
            "Statement Nov 2026: House. The total is 138.00 € without 50 % of the time."
        );
        for part in ["home · 1 Nov 2026", "276.00 kWh", "138.00 €", "Total: "] {
            assert!(found.html.contains(part), "{part}: {}", found.html);
        }
        let found = monthly(Some("<Pumpe>"), "de").unwrap();
        assert_eq!(found.title, "Abrechnung Nov. 2026: <Pumpe>");
        assert!(found.html.contains("&#60;Pumpe&#62;") && !found.html.contains("<Pumpe>"));
        assert!(found.text.contains("Die Summe beträgt"), "{}", found.text);
        // It is no sub-meter, or is not there.
        assert_eq!(monthly(Some("grid"), "en"), None);
        assert_eq!(monthly(Some("gone"), "en"), None);
    }
}
