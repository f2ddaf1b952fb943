//! Tenancies: a sub-meter whose energy somebody else pays for, from a day on (docs/MONEY.md).

use std::ops::Range;

use serde::Serialize;

use super::json::{ContractError, Node};
use super::{Contract, Contracts, Label};
use crate::domain::{Decimal, LocalDate, PersonName, SensorId, Timestamp, Zone};

/// The agreement that somebody pays for a sub-meter: its days and its price. Amounts are in the
/// currency of the account's contracts.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Tenancy {
    /// Its name, each once in an account: that of the flat, or of the tenant.
    pub name: Label,
    /// The sub-meter.
    pub sensor: SensorId,
    /// The first day, by the account's clock.
    pub from: LocalDate,
    /// The last day; `None` while it goes on.
    pub until: Option<LocalDate>,
    /// The person who sees it, if they are a tenant of the account.
    pub person: Option<PersonName>,
    /// The agreed price of a kilowatt-hour; `None` for the real cost.
    pub price: Option<Decimal>,
    /// The base fee of a month.
    pub base_fee: Decimal,
}

/// A tenancy, as errors show it.
const EXAMPLE: &str =
    r#"{"name":"Flat 2","sensor":"flat-2","from":"2026-01-01","price":0.28,"base_fee":5}"#;

impl Tenancy {
    const MEMBERS: [&'static str; 7] = [
        "name", "sensor", "from", "until", "person", "price", "base_fee",
    ];

    /// Parses a tenancy: a JSON object with the members of this type. `until`, `person`, `price` and
    /// `base_fee` may be null or missing. Amounts are numbers, or texts with their digits.
    ///
    /// # Errors
    /// [`ContractError`] with the place of the fault and the expected form.
    pub fn parse(text: &str) -> Result<Self, ContractError> {
        let fields = Node::parse(text, "tenancy")?.fields(&Self::MEMBERS, EXAMPLE)?;
        let given = |name| fields.get(name).filter(|node| !node.is_null());
        let date = |node: &Node<'_>| {
            let date = LocalDate::parse(&node.text("\"2026-01-01\"")?).ok();
            let date = date.filter(|date| date.year() >= 1970);
            date.ok_or_else(|| node.refused("a date from 1970-01-01 on, such as \"2026-01-01\""))
        };
        let sensor = fields.need("sensor", "\"flat-2\"")?;
        let person = given("person").map(|node| {
            let name = PersonName::new(&node.text("\"Anna\"")?);
            name.map_err(|error| node.refused(error))
        });
        let amount = |node: Node<'_>| {
            node.not_negative(
                "an amount from 0 to 999999.999999 with up to six decimals, such as 5",
            )
        };
        let tenancy = Self {
            name: fields.need("name", "\"Flat 2\"")?.label()?,
            sensor: SensorId::new(&sensor.text("\"flat-2\"")?)
                .map_err(|error| sensor.refused(error))?,
            from: date(&fields.need("from", "\"2026-01-01\"")?)?,
            until: given("until").map(|node| date(&node)).transpose()?,
            person: person.transpose()?,
            price: given("price").map(amount).transpose()?,
            base_fee: given("base_fee").map_or(Ok(Decimal::ZERO), amount)?,
        };
        if tenancy.until.is_some_and(|until| until < tenancy.from) {
            let expected = format!("a last day from {} on", tenancy.from);
            return Err(fields.refused("until", &expected));
        }
        Ok(tenancy)
    }

    /// The times of its days, by the clock of the account; without a last day, to the end of time.
    #[must_use]
    pub fn range(&self, zone: &Zone) -> Range<Timestamp> {
        let after = self.until.and_then(|until| until.plus_days(1));
        let end = after.map_or(Timestamp::MAX, |day| day.start(zone));
        let from = self.from.start(zone);
        from..end.max(from)
    }

    /// Whether they both have the same sub-meter on some day, which two would pay for.
    #[must_use]
    pub fn collides_with(&self, other: &Self) -> bool {
        let ends_before = |one: &Self, other: &Self| one.until.is_some_and(|it| it < other.from);
        self.sensor == other.sensor && !ends_before(self, other) && !ends_before(other, self)
    }

    /// The contract of its base fee alone, in this currency.
    ///
    /// # Errors
    /// [`ContractError`], which does not occur: each value was checked.
    pub fn fee_contract(&self, currency: &str) -> Result<Contracts, ContractError> {
        let fee = serde_json::json!({
            "from": self.from,
            "name": self.name,
            "currency": currency,
            "components": [{ "fixed": { "name": "base fee", "price": self.base_fee, "per": "month" } }],
        });
        Contracts::new(vec![Contract::parse(&fee.to_string())?])
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;

    pub(crate) fn tenancy(text: &str) -> Tenancy {
        Tenancy::parse(text).unwrap()
    }

    #[test]
    fn a_tenancy_is_read_with_all_digits() {
        let found = tenancy(EXAMPLE);
        assert_eq!(found.price, Some(Decimal::from_millionths(280_000)));
        assert_eq!((found.until, found.person.clone()), (None, None));
        let text = serde_json::to_string(&found).unwrap();
        assert_eq!(tenancy(&text), found);
        let full = r#"{"name":"Flat 2","sensor":"flat-2","from":"2026-01-01","until":"2026-01-01","person":"Anna","price":null,"base_fee":"5.123456"}"#;
        let found = tenancy(full);
        assert_eq!(found.base_fee, Decimal::from_millionths(5_123_456));
        assert_eq!((found.price, found.until), (None, Some(found.from)));
        let text = serde_json::to_string(&found).unwrap();
        assert_eq!(tenancy(&text), found);
    }

    #[test]
    fn a_wrong_member_is_named() {
        for (text, place, expected) in [
            ("[]", "the whole", "an object such as"),
            ("{}", "sensor", "missing"),
            (r#"{"sensor":"a"}"#, "name", "missing"),
            (r#"{"sensor":"a","name":""}"#, "name", "1 to 64"),
            (r#"{"sensor":"a","name":"a"}"#, "from", "missing"),
            (
                r#"{"sensor":"a","name":"a","from":"2026-02-30"}"#,
                "from",
                "a date",
            ),
            (
                r#"{"sensor":"a","name":"a","from":"1969-12-31"}"#,
                "from",
                "from 1970",
            ),
            (
                r#"{"sensor":"a","name":"a","from":"2026-01-02","until":"2026-01-01"}"#,
                "until",
                "from 2026-01-02 on",
            ),
            (
                r#"{"sensor":"a","name":"a","from":"2026-01-02","price":-1}"#,
                "price",
                "from 0",
            ),
            (
                r#"{"sensor":"a","name":"a","from":"2026-01-02","base_fee":"x"}"#,
                "base_fee",
                "from 0",
            ),
            (
                r#"{"sensor":"a","name":"a","from":"2026-01-02","person":""}"#,
                "person",
                "1 to 56",
            ),
            (
                r#"{"sensor":"a","name":"a","from":"2026-01-02","fee":1}"#,
                "fee",
                "unknown",
            ),
        ] {
            let error = Tenancy::parse(text).unwrap_err();
            assert_eq!(error.place, place, "{text}: {error}");
            assert!(error.problem.contains(expected), "{text}: {error}");
        }
    }

    #[test]
    fn one_sub_meter_has_one_tenancy_a_day() {
        let of = |sensor: &str, from: &str, until: &str| {
            tenancy(&format!(
                r#"{{"name":"a","sensor":"{sensor}","from":"{from}","until":{until}}}"#
            ))
        };
        let first = of("a", "2026-01-01", r#""2026-03-31""#);
        for (other, collides) in [
            (of("a", "2026-04-01", "null"), false),
            (of("a", "2026-03-31", "null"), true),
            (of("b", "2026-03-31", "null"), false),
            (of("a", "2025-01-01", r#""2025-12-31""#), false),
            (of("a", "2025-01-01", "null"), true),
            (of("a", "2026-02-01", r#""2026-02-01""#), true),
        ] {
            assert_eq!(first.collides_with(&other), collides, "{other:?}");
            assert_eq!(other.collides_with(&first), collides, "{other:?}");
        }
    }

    #[test]
    fn its_range_ends_with_its_last_day() {
        let zone = Zone::parse("Europe/Berlin").unwrap();
        let at = |text: &str| Timestamp::parse_or_date(text).unwrap();
        let mut found = tenancy(EXAMPLE);
        assert_eq!(
            found.range(&zone),
            at("2025-12-31T23:00:00")..Timestamp::MAX
        );
        found.until = LocalDate::new(2026, 3, 29);
        // The day when the clocks change.
        assert_eq!(
            found.range(&zone),
            at("2025-12-31T23:00:00")..at("2026-03-29T22:00:00")
        );
    }
}
