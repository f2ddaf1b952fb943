//! `/meter`: registers that people read from a meter and type in.

use askama::Template;

use crate::chart::Wording;
use crate::domain::{Account, Decimal, MicroWh, SensorId, Timestamp};
use crate::house::{reading_doubt, sensors_of};
use crate::http::pages::frame::address::address;
use crate::http::pages::frame::figures::power;
use crate::http::pages::frame::response::ok;
use crate::http::pages::frame::typed_number::Numbers;
use crate::http::pages::frame::{AccountScope, Layout, PageError, PageResult, Visit};
use crate::http::pages::meters::beside::BesideView;
use crate::http::pages::meters::fields::{Pass, local_time};
use crate::http::pages::meters::made::author;
use crate::http::pages::meters::posted::{OwnedSensor, add, back, layout, no_account, revoke};
use crate::ledger::utility::{ReadingDoubt, UtilityMeter, UtilityReading};
use crate::ledger::{CalibratedRange, CalibrationFactor, Corrections, Fact};
use crate::store::Store;
use crate::texts::Language;

/// The maximum number of readings on the page.
const MOST_LISTED: usize = 24;

#[derive(Template)]
#[template(path = "meters/typed.html")]
struct MeterPage {
    layout: Layout,
    account: String,
    /// Name and address of each sensor of the account, and whether it is chosen.
    sensors: Vec<(String, String, bool)>,
    chosen: Option<TypedMeter>,
}

/// The meter of a sensor.
struct TypedMeter {
    sensor_id: String,
    account: String,
    name: String,
    zone: String,
    /// The newest reading, in words.
    last: Option<String>,
    form: TypedForm,
    readings: Vec<TypedReading>,
    beside: Option<BesideView>,
    /// The address of this page.
    back: String,
    /// The address to report a change of the meter.
    change: String,
    /// The address of the account's bills.
    bills: String,
}

/// A reading as typed.
struct TypedForm {
    /// In kilowatt-hours.
    shown: String,
    /// In the account's local time; empty for now.
    at: String,
}

/// A reading that was typed in earlier.
struct TypedReading {
    number: u32,
    time: String,
    shown: String,
    by: String,
}

impl TypedForm {
    fn posted(visit: &Visit) -> Result<Self, PageError> {
        Ok(Self {
            shown: visit.trimmed("shown")?,
            at: visit.trimmed("at")?,
        })
    }

    /// The reading in the form.
    fn reading(
        &self,
        visit: &Visit,
        owned: &OwnedSensor,
        numbers: &Numbers,
    ) -> Result<UtilityReading, PageError> {
        let shown = numbers
            .kilowatthours(&self.shown)
            .filter(|shown| *shown >= MicroWh::ZERO);
        let shown = shown.ok_or(PageError::mistake("meter-shown-expected", "shown"))?;
        if self.at.is_empty() {
            let time = visit.app.now().time;
            return Ok(UtilityReading { time, shown });
        }
        let time = local_time(&self.at, &owned.account.zone, Pass::First);
        let time = time.ok_or(PageError::mistake("meter-time-expected", "at"))?;
        Ok(UtilityReading { time, shown })
    }
}

impl MeterPage {
    /// The page of the sensors of `account`, one of which may be chosen.
    fn new(
        visit: &Visit,
        account: &Account,
        chosen: Option<TypedMeter>,
    ) -> Result<Self, PageError> {
        let registry = visit.app.store.registry();
        let sensors = sensors_of(&registry, &account.name).map(|sensor| {
            let id = sensor.id.as_str();
            let is_chosen = chosen.as_ref().is_some_and(|one| one.sensor_id == id);
            let own = address("meter", &[("sensor", id)]);
            (sensor.name.clone(), own, is_chosen)
        });
        Ok(Self {
            layout: layout(visit)?,
            account: account.name.to_string(),
            sensors: sensors.collect(),
            chosen,
        })
    }

    async fn of(visit: &Visit, owned: &OwnedSensor) -> Result<Self, PageError> {
        let wording = Wording::new(&owned.account.zone, visit.language());
        let newest = meter_of(visit, owned).before(Timestamp::MAX);
        let id = owned.sensor.id.to_string();
        let chosen = TypedMeter {
            back: address("meter", &[("sensor", &id)]),
            change: address("meter/change", &[("sensor", &id)]),
            bills: address("bills", &[("account", owned.account.name.as_str())]),
            sensor_id: id,
            account: owned.account.name.to_string(),
            name: owned.sensor.name.clone(),
            zone: owned.account.zone.name().to_owned(),
            last: newest.map(|it| last_text(it, wording)),
            form: TypedForm::posted(visit)?,
            readings: readings(visit, owned, wording),
            beside: beside(visit, owned, visit.language()).await?,
        };
        Self::new(visit, &owned.account, Some(chosen))
    }
}

fn last_text(last: UtilityReading, wording: Wording<'_>) -> String {
    let values = [
        ("shown", wording.register(last.shown).into()),
        ("time", wording.to_the_second(last.time).into()),
    ];
    wording.language.fill("meter-last", values)
}

fn meter_of(visit: &Visit, owned: &OwnedSensor) -> UtilityMeter {
    let registry = visit.app.store.registry();
    let corrections = registry.corrections(&owned.account.name);
    let meter = corrections.map(|all| all.utility_of(&owned.sensor.id));
    meter.unwrap_or_default()
}

/// The newest readings in effect.
fn readings(visit: &Visit, owned: &OwnedSensor, wording: Wording<'_>) -> Vec<TypedReading> {
    let registry = visit.app.store.registry();
    let corrections = registry.corrections(&owned.account.name);
    let all = corrections.into_iter().flat_map(Corrections::iter);
    let of_sensor = |id: &SensorId| *id == owned.sensor.id;
    let typed = all.filter_map(|one| match one.fact() {
        Fact::Utility(time, shown) if of_sensor(one.sensor()) && one.revoked().is_none() => {
            Some((*time, *shown, one))
        }
        _ => None,
    });
    let mut typed: Vec<_> = typed.collect();
    typed.sort_by_key(|(time, _, one)| (*time, one.number()));
    let newest_first = typed.into_iter().rev().take(MOST_LISTED);
    newest_first
        .map(|(time, shown, one)| TypedReading {
            number: one.number(),
            time: wording.to_the_second(time),
            shown: wording.register(shown),
            by: author(one.made().by(), wording.language),
        })
        .collect()
}

async fn beside(
    visit: &Visit,
    owned: &OwnedSensor,
    language: &'static Language,
) -> Result<Option<BesideView>, PageError> {
    let (sensor, now) = (owned.sensor.clone(), visit.app.counted_now());
    let zone = owned.account.zone.clone();
    let look =
        move |store: &Store| BesideView::of(store, &sensor, Wording::new(&zone, language), now);
    Ok(visit.report(&owned.account.name, look).await??)
}

/// `GET /meter?sensor=…`; without a sensor, a choice of sensors.
pub(crate) async fn show(visit: Visit) -> PageResult {
    let id = visit.param("sensor")?;
    if !id.is_empty() {
        let owned = OwnedSensor::find(&visit.app, &id)?;
        return Ok(ok(&MeterPage::of(&visit, &owned).await?));
    }
    let scope = AccountScope::of_member(&visit)?;
    let Some(account) = scope.account else {
        return Ok(no_account(&visit, layout(&visit)?, "meter-title"));
    };
    if let [only] = scope.sensors.as_slice() {
        let owned = OwnedSensor::find(&visit.app, only.id.as_str())?;
        return Ok(ok(&MeterPage::of(&visit, &owned).await?));
    }
    Ok(ok(&MeterPage::new(&visit, &account, None)?))
}

/// `POST /meter`
pub(crate) async fn keep(visit: Visit) -> PageResult {
    let owned = OwnedSensor::find(&visit.app, &visit.field("sensor")?)?;
    let form = TypedForm::posted(&visit)?;
    let numbers = visit.numbers();
    let reading = form.reading(&visit, &owned, &numbers)?;
    let (sensor, now) = (owned.sensor.clone(), visit.app.counted_now());
    let look = move |store: &Store| reading_doubt(store, &sensor, reading, now);
    let doubt = visit.report(&owned.account.name, look).await??;
    let wording = Wording::new(&owned.account.zone, visit.language());
    let mut questions = numbers.questions();
    questions.extend(doubt.map(|doubt| doubt_text(doubt, reading, wording)));
    visit.ask(&questions)?;
    let facts = vec![Fact::Utility(reading.time, reading.shown)];
    add(&visit, &owned, (facts, ""), |_| "at").await?;
    back(&visit, "typed", "")
}

fn doubt_text(doubt: ReadingDoubt, reading: UtilityReading, wording: Wording<'_>) -> String {
    let of = |known: UtilityReading| {
        let shown = ("shown", wording.register(known.shown).into());
        [shown, ("time", wording.to_the_second(known.time).into())]
    };
    let language = wording.language;
    match doubt {
        ReadingDoubt::BelowEarlier(earlier) => language.fill("meter-doubt-below", of(earlier)),
        ReadingDoubt::AboveLater(later) => language.fill("meter-doubt-above", of(later)),
        ReadingDoubt::AboveUsual(earlier, usual) => {
            let [shown, time] = of(earlier);
            let rise = wording.register(reading.shown - earlier.shown);
            let expected = wording.register(earlier.shown + usual);
            let values = [
                shown,
                time,
                ("rise", rise.into()),
                ("usual", wording.register(usual).into()),
                ("expected", expected.into()),
            ];
            language.fill("meter-doubt-usual", values)
        }
        ReadingDoubt::AbovePower(earlier, watts) => {
            let [shown, time] = of(earlier);
            let rise = wording.register(reading.shown - earlier.shown);
            #[expect(clippy::cast_precision_loss, reason = "far below 2^53")]
            let mean = power(watts as f64, language);
            let values = [shown, time, ("rise", rise.into()), ("power", mean.into())];
            language.fill("meter-doubt-power", values)
        }
    }
}

/// `POST /meter/calibrate`: accepts the factor that the page offers.
pub(crate) async fn calibrate(visit: Visit) -> PageResult {
    let owned = OwnedSensor::find(&visit.app, &visit.field("sensor")?)?;
    let from = Timestamp::parse(&visit.field("from")?).map_err(|_| PageError::NotFound)?;
    let factor = Decimal::parse(&visit.field("factor")?).ok();
    let factor = factor.and_then(|factor| CalibrationFactor::new(factor).ok());
    let range = CalibratedRange::new(from, None).ok();
    let (range, factor) = range.zip(factor).ok_or(PageError::NotFound)?;
    let facts = vec![Fact::Calibrate(range, factor)];
    add(&visit, &owned, (facts, ""), |_| "at").await?;
    back(&visit, "calibrated", "")
}

/// `POST /meter/remove`
pub(crate) async fn remove(visit: Visit) -> PageResult {
    revoke(&visit).await?;
    back(&visit, "untyped", "")
}
