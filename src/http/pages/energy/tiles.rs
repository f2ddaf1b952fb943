//! The sums of a range as tiles, and sentences about their gaps.

use crate::domain::{Role, Sensor, Timestamp};
use crate::house::{EnergyColumn, EnergyCourse, EnergyRow};
use crate::http::pages::frame::range::ShownRange;
use crate::http::pages::frame::{PercentChange, figures};
use crate::texts::Language;

/// A sum.
pub(super) struct EnergyTile {
    pub(super) name: String,
    /// `–` if the value is not known.
    pub(super) value: String,
    /// The gap of an amount, and whether that is more than half.
    pub(super) without: Option<String>,
    pub(super) is_mostly_unknown: bool,
    /// The sum of the previous range, as a sentence.
    pub(super) before: Option<String>,
    pub(super) change: Option<PercentChange>,
    /// Whether a higher value is better.
    pub(super) is_good: bool,
}

/// The sums that matter most, and the others. Sums that need a sensor that the house does not have
/// are left out.
pub(super) fn tiles(
    course: &EnergyCourse,
    sensors: &[Sensor],
    language: &Language,
) -> [Vec<EnergyTile>; 2] {
    use EnergyColumn::{
        Charged, Cost, Credit, Discharged, Exported, Imported, Produced, SelfConsumption,
        SelfSufficiency, Used,
    };
    let has = |roles: &[Role]| sensors.iter().any(|it| roles.contains(&it.role));
    let solar = has(&[Role::Solar]);
    let battery = has(&[Role::Battery, Role::BatteryCharge, Role::BatteryDischarge]);
    let grid = has(&[Role::Grid, Role::GridImport]);
    let back = has(&[Role::Grid, Role::GridExport]);
    let priced = course.currency.is_some() && (grid || back);
    // A house that gets no credit for its exports does not see a credit of zero.
    let credited = [&course.whole, &course.compared].into_iter().flatten();
    let credited = credited
        .filter_map(|row| row.value(Credit))
        .any(|credit| credit != 0.0);
    let tile = |(column, is_there): (EnergyColumn, bool)| {
        is_there.then(|| EnergyTile::of(column, course, language))
    };
    let is_total = priced && credited;
    // The total as on the dashboard: cost minus credit.
    let total = is_total.then(|| EnergyTile::total(course, language));
    let first = [
        (Used, grid),
        (SelfSufficiency, grid && (solar || battery)),
        (SelfConsumption, solar && back),
        (Cost, priced && !is_total),
    ];
    let more = [
        (Produced, solar),
        (Charged, battery),
        (Discharged, battery),
        (Imported, grid),
        (Exported, back),
        (Cost, is_total),
        (Credit, is_total),
    ];
    let first: Vec<EnergyTile> = first.into_iter().filter_map(tile).chain(total).collect();
    let more: Vec<EnergyTile> = more.into_iter().filter_map(tile).collect();
    if first.is_empty() {
        [more, first]
    } else {
        [first, more]
    }
}

impl EnergyTile {
    fn of(column: EnergyColumn, course: &EnergyCourse, language: &Language) -> Self {
        use EnergyColumn::{Charged, Cost, Imported, Used};
        Self {
            name: language.word("energy", EnergyColumn::as_str(column)),
            is_good: !matches!(column, Used | Charged | Imported | Cost),
            ..Self::with(column, |row| row.value(column), course, language)
        }
    }

    /// The cost minus the credit.
    fn total(course: &EnergyCourse, language: &Language) -> Self {
        use EnergyColumn::{Cost, Credit};
        let total = |row: &EnergyRow| Some(row.value(Cost)? - row.value(Credit)?);
        Self {
            name: language.say("energy-total"),
            ..Self::with(Cost, total, course, language)
        }
    }

    /// A value worded like those of `column`, without its name.
    fn with(
        column: EnergyColumn,
        value: impl Fn(&EnergyRow) -> Option<f64>,
        course: &EnergyCourse,
        language: &Language,
    ) -> Self {
        let currency = course.currency.as_ref().map_or("", |it| it.as_str());
        let known = |row: &Option<EnergyRow>| value(row.as_ref()?);
        let is_amount_of_row = is_amount(column);
        // A range with gaps cannot be compared with one without.
        let is_whole = |row: &Option<EnergyRow>| row.as_ref().is_some_and(EnergyRow::is_comparable);
        let text = |value| value_text(column, value, currency, language);
        let gap = |column| {
            let share = course.whole.as_ref().and_then(|row| row.value(column));
            share.filter(|share| is_amount_of_row && *share > 0.0)
        };
        let (unpriced, missing) = (gap(EnergyColumn::Unpriced), gap(EnergyColumn::Partial));
        let before = known(&course.compared);
        let before = before.filter(|_| is_whole(&course.compared) && course.had(column));
        let now = known(&course.whole);
        let both = now.filter(|_| is_whole(&course.whole)).zip(before);
        let percent = if is_amount(column) {
            figures::percent_of_money
        } else {
            figures::percent
        };
        // The relative change of a share would say little.
        let both = both.filter(|_| !is_share(column));
        Self {
            name: String::new(),
            value: now.map_or_else(|| figures::UNKNOWN.into(), text),
            without: now.and_then(|_| without(unpriced, missing, language)),
            is_mostly_unknown: [unpriced, missing].into_iter().flatten().any(|it| it > 0.5),
            before: before
                .map(|before| language.fill("energy-before", [("value", text(before).into())])),
            change: both.and_then(|(now, before)| percent(now, before, language)),
            is_good: false,
        }
    }
}

/// The gap of an amount, by these shares of the energy and of the time.
fn without(unpriced: Option<f64>, missing: Option<f64>, language: &Language) -> Option<String> {
    let share = |share: f64| [("share", figures::share(share, language).into())];
    let all = [
        unpriced.map(|it| language.fill("amount-without-share", share(it))),
        missing.map(|it| language.fill("amount-without-time", share(it))),
    ];
    let all: Vec<String> = all.into_iter().flatten().collect();
    (!all.is_empty()).then(|| all.join(", "))
}

/// A value of a column as text.
pub(super) fn value_text(
    column: EnergyColumn,
    value: f64,
    currency: &str,
    language: &Language,
) -> String {
    if is_share(column) {
        figures::share(value, language)
    } else if is_amount(column) {
        figures::money(value, currency, language)
    } else {
        figures::energy(value, language)
    }
}

const fn is_amount(column: EnergyColumn) -> bool {
    matches!(
        column,
        EnergyColumn::Cost | EnergyColumn::Credit | EnergyColumn::RealCost
    )
}

const fn is_share(column: EnergyColumn) -> bool {
    use EnergyColumn::{
        Estimated, OwnShare, Partial, RealUnpriced, SelfConsumption, SelfSufficiency, Unpriced,
    };
    matches!(
        column,
        SelfConsumption
            | SelfSufficiency
            | Estimated
            | Partial
            | Unpriced
            | OwnShare
            | RealUnpriced
    )
}

/// Sentences about the gaps in a range's sums.
pub(super) fn sentences(
    course: &EnergyCourse,
    sensors: &[Sensor],
    shown: &ShownRange,
    (now, language): (Timestamp, &Language),
) -> Vec<String> {
    let mut said = Vec::new();
    let Some(whole) = &course.whole else {
        said.push(if shown.range.start >= now {
            language.say("energy-future")
        } else {
            language.say("energy-nothing")
        });
        return said;
    };
    if !sensors.iter().any(|it| it.role.is_at_grid()) {
        said.push(language.say("energy-no-grid"));
    }
    let share = |column| {
        let share = whole.value(column).filter(|share| *share > 0.0)?;
        Some([("share", figures::share(share, language).into())])
    };
    said.extend(share(EnergyColumn::Partial).map(|it| language.fill("energy-is-partial", it)));
    said.extend(share(EnergyColumn::Estimated).map(|it| language.fill("energy-is-estimated", it)));
    said.extend(share(EnergyColumn::Unpriced).map(|it| language.fill("energy-is-unpriced", it)));
    said
}
