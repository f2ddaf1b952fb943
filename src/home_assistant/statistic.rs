//! The statistics of an account in Home Assistant: their ids, names and units.

use std::collections::BTreeSet;
use std::fmt::Write as _;

use sha2::{Digest as _, Sha256};

use crate::domain::words::words;
use crate::domain::{AccountName, Currency, MeterKind, Sensor, SensorId, Timestamp};
use crate::house::EnergyColumn;
use crate::store::Registry;

/// A value that is summed by hours, as the end of an id. No word is the end of another one with a
/// `_` before it, so no two statistics of different subjects have the same id.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum SumColumn {
    /// Of a sensor: its energy, or the drawn energy if it runs both ways.
    Energy,
    Imported,
    Exported,
    Produced,
    Charged,
    Discharged,
    Used,
    Cost,
    Credit,
}

words! {
    SumColumn: Energy "energy", Imported "imported", Exported "exported", Produced "produced", Charged "charged",
    Discharged "discharged", Used "used", Cost "cost", Credit "credit"; "the value of a statistic"
}

impl SumColumn {
    const OF_HOUSE: [Self; 8] = [
        Self::Imported,
        Self::Exported,
        Self::Produced,
        Self::Charged,
        Self::Discharged,
        Self::Used,
        Self::Cost,
        Self::Credit,
    ];
    const OF_SENSOR: [Self; 4] = [Self::Energy, Self::Exported, Self::Cost, Self::Credit];

    const fn is_amount(self) -> bool {
        matches!(self, Self::Cost | Self::Credit)
    }

    /// The end of a name.
    const fn title(self) -> &'static str {
        match self {
            Self::Energy => "energy",
            Self::Imported => "grid import",
            Self::Exported => "export",
            Self::Produced => "production",
            Self::Charged => "battery charge",
            Self::Discharged => "battery discharge",
            Self::Used => "consumption",
            Self::Cost => "cost",
            Self::Credit => "credit",
        }
    }
}

/// A statistic of Home Assistant.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) struct Statistic {
    /// `wattkeeper:` and letters, digits and single `_`.
    pub(super) id: String,
    pub(super) name: String,
    /// `kWh`, or a currency.
    pub(super) unit: String,
    pub(super) column: SumColumn,
}

/// A sum at the end of an hour: energy in millionths of a watt-hour, amounts in millionths.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) struct SumHour {
    pub(super) start: Timestamp,
    pub(super) sum: i64,
    /// Whether all hours up to this one are zero.
    pub(super) is_leading: bool,
}

/// A house or a sensor with its statistics.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct HistorySubject {
    /// The sensor; `None` for the house.
    pub(super) sensor: Option<Sensor>,
    pub(super) statistics: Vec<Statistic>,
}

impl Statistic {
    /// The source, which all ids begin with.
    pub(super) const SOURCE: &str = "wattkeeper";

    /// The statistic of a subject's column. An amount has a currency.
    pub(super) fn new(slug: &str, name: &str, column: SumColumn, currency: Option<&str>) -> Self {
        let unit = currency.filter(|_| column.is_amount()).unwrap_or("kWh");
        Self {
            id: format!("{}:{slug}_{}", Self::SOURCE, column.as_str()),
            name: format!("{name} {}", column.title()),
            unit: unit.to_owned(),
            column,
        }
    }

    /// The class that Home Assistant converts units by; none of amounts.
    pub(super) fn unit_class(&self) -> Option<&'static str> {
        (!self.column.is_amount()).then_some("energy")
    }

    /// A sum in the unit.
    pub(super) fn shown(&self, sum: i64) -> f64 {
        let ones = if self.column.is_amount() { 1e6 } else { 1e9 };
        #[expect(
            clippy::cast_precision_loss,
            reason = "beyond 2^53 millionths, 9 GWh, a f64 has no place for one"
        )]
        let sum = sum as f64;
        sum / ones
    }
}

impl HistorySubject {
    /// The columns of a row that its statistics sum up, in their order.
    pub(super) fn row_columns(&self) -> Vec<EnergyColumn> {
        let of = |statistic: &Statistic| match statistic.column {
            SumColumn::Energy if self.runs_both_ways() => EnergyColumn::Imported,
            SumColumn::Energy => EnergyColumn::Energy,
            SumColumn::Imported => EnergyColumn::Imported,
            SumColumn::Exported => EnergyColumn::Exported,
            SumColumn::Produced => EnergyColumn::Produced,
            SumColumn::Charged => EnergyColumn::Charged,
            SumColumn::Discharged => EnergyColumn::Discharged,
            SumColumn::Used => EnergyColumn::Used,
            SumColumn::Cost => EnergyColumn::Cost,
            SumColumn::Credit => EnergyColumn::Credit,
        };
        self.statistics.iter().map(of).collect()
    }

    fn runs_both_ways(&self) -> bool {
        let sensor = self.sensor.as_ref();
        sensor.is_some_and(|sensor| sensor.meter.kind != MeterKind::Counter)
    }

    /// The sensor's id; `None` for the house.
    pub(super) fn id(&self) -> Option<&SensorId> {
        self.sensor.as_ref().map(|sensor| &sensor.id)
    }

    fn new(sensor: Option<&Sensor>, (slug, name): (&str, &str), currency: Option<&str>) -> Self {
        let all = match sensor {
            Some(_) => SumColumn::OF_SENSOR.as_slice(),
            None => &SumColumn::OF_HOUSE,
        };
        let columns = all.iter().copied();
        let columns = columns.filter(|column| currency.is_some() || !column.is_amount());
        let statistics = columns.map(|column| Statistic::new(slug, name, column, currency));
        Self {
            sensor: sensor.cloned(),
            statistics: statistics.collect(),
        }
    }
}

/// The house of an account, and its sensors, by id. Those that discovery leaves out, too: what Home
/// Assistant has of them from elsewhere is not corrected.
pub(super) fn subjects(registry: &Registry, account: &AccountName) -> Vec<HistorySubject> {
    let contracts = registry.contracts(account);
    let currency = contracts.and_then(|all| all.currency());
    let currency = currency.map(Currency::as_str);
    let mut taken = BTreeSet::new();
    let house = format!("{}_house", account.as_str());
    let mut slug = |text: &str| unique_slug(text, &mut taken);
    let house = slug(&house);
    let house = HistorySubject::new(None, (&house, account.as_str()), currency);
    let own = registry.sensors().filter(|it| it.account == *account);
    // A later sensor must not take the statistic of an earlier one, and its history there, even if
    // that is revoked meanwhile.
    let mut own: Vec<&Sensor> = own.collect();
    own.sort_by_key(|it| (it.created, &it.id));
    let mut sensors: Vec<(&Sensor, String)> = own
        .into_iter()
        .map(|sensor| (sensor, slug(sensor.id.as_str())))
        .collect();
    sensors.retain(|(sensor, _)| sensor.authorized);
    sensors.sort_by_key(|(sensor, _)| &sensor.id);
    let sensors = sensors
        .iter()
        .map(|(sensor, slug)| HistorySubject::new(Some(sensor), (slug, &sensor.name), currency));
    let mut all = vec![house];
    all.extend(sensors);
    all
}

/// A slug that is not taken yet: with a part of its text's hash if the plain one is.
fn unique_slug(text: &str, taken: &mut BTreeSet<String>) -> String {
    let mut slug = plain_slug(text);
    if slug.is_empty() || taken.contains(&slug) {
        let hash = Sha256::digest(text.as_bytes());
        slug.push_str(if slug.is_empty() { "id" } else { "_" });
        for (place, byte) in hash.iter().enumerate() {
            // Writing to a string cannot fail.
            let _ = write!(slug, "{byte:02x}");
            if place >= 3 && !taken.contains(&slug) {
                break;
            }
        }
    }
    taken.insert(slug.clone());
    slug
}

/// A text in small letters, digits and single `_`, as Home Assistant wants ids.
fn plain_slug(text: &str) -> String {
    let mut slug = String::new();
    for char in text.chars() {
        if char.is_ascii_alphanumeric() {
            slug.push(char.to_ascii_lowercase());
        } else if !slug.is_empty() && !slug.ends_with('_') {
            slug.push('_');
        }
    }
    slug.truncate(slug.trim_end_matches('_').len());
    slug
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn slugs_are_what_home_assistant_takes() {
        for (text, slug) in [
            ("house", "house"),
            ("heat-pump", "heat_pump"),
            ("Heat__Pump.2", "heat_pump_2"),
            ("-a-", "a"),
            ("ä", ""),
        ] {
            assert_eq!(plain_slug(text), slug, "{text}");
        }
        let mut taken = BTreeSet::new();
        let mut slug = |text| unique_slug(text, &mut taken);
        assert_eq!(slug("heat-pump"), "heat_pump");
        // The first bytes of its SHA-256.
        assert_eq!(slug("heat_pump"), "heat_pump_0c25ceac");
        assert_eq!(slug("ä").len(), 10);
    }

    #[test]
    fn a_later_sensor_takes_no_statistic_of_an_earlier_one() {
        let dir = tempfile::tempdir().unwrap();
        let sensor = (
            "heat-pump",
            crate::domain::Role::SubMeter,
            MeterKind::Counter,
        );
        let (store, account) = crate::house::tests::open(dir.path(), &[sensor]);
        let energy_of = |id: &str| {
            let all = subjects(&store.registry(), &account.name);
            let own = all
                .iter()
                .find(|it| it.id().is_some_and(|own| own.as_str() == id));
            own.map(|own| own.statistics[0].id.clone())
        };
        let before = energy_of("heat-pump");
        assert_eq!(before.as_deref(), Some("wattkeeper:heat_pump_energy"));
        let old = store
            .registry()
            .sensor(&crate::house::tests::id("heat-pump"))
            .unwrap()
            .clone();
        // Capitals come first in the order of ids.
        for (nth, id) in ["Heat-Pump", "HEAT.PUMP"].into_iter().enumerate() {
            let later = Sensor {
                id: SensorId::new(id).unwrap(),
                created: old
                    .created
                    .saturating_add_millis(1 + i64::try_from(nth).unwrap()),
                ..old.clone()
            };
            store.put_sensor_durably(later).unwrap();
        }
        assert_eq!(energy_of("heat-pump"), before);
        let others = ["Heat-Pump", "HEAT.PUMP"].map(energy_of);
        assert!(
            others.iter().all(|id| id.is_some() && *id != before),
            "{others:?}"
        );
        // Nor when that one is revoked.
        let revoked = Sensor {
            authorized: false,
            ..old
        };
        store.put_sensor_durably(revoked).unwrap();
        assert_eq!(energy_of("heat-pump"), None);
        assert_eq!(["Heat-Pump", "HEAT.PUMP"].map(energy_of), others);
    }

    proptest! {
        #[test]
        fn ids_are_valid_and_unique(texts in proptest::collection::btree_set("[a-zA-Z0-9._ä-]{1,8}", 1..12)) {
            let mut taken = BTreeSet::new();
            let slugs = texts.iter().map(|text| unique_slug(text, &mut taken));
            let ids: Vec<String> = slugs
                .flat_map(|slug| SumColumn::ALL.map(|column| Statistic::new(&slug, "", column, None).id))
                .collect();
            for id in &ids {
                let slug = id.strip_prefix("wattkeeper:").unwrap();
                let is_plain = slug.bytes().all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'_');
                prop_assert!(is_plain && !slug.contains("__") && !slug.starts_with('_') && !slug.ends_with('_'), "{id}");
            }
            let distinct: BTreeSet<&String> = ids.iter().collect();
            prop_assert_eq!(distinct.len(), ids.len());
        }
    }
}
