//! The prices of energy at the grid, as the Energy dashboard has them: `energy/get_prefs`.
//!
//! A source at the grid has `number_energy_price` or `entity_energy_price` for each entry of `flow_from`
//! and of `flow_to` until 2025; from 2026 on for drawn energy, and with `_export` for energy that is fed back.
//! Statistics of cost are left alone.

use std::sync::LazyLock;

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::dashboard::MOST_FLOWS;
use super::error::HomeAssistantError;
use crate::domain::{Currency, Decimal, EntityId};
use crate::ingest::wanted::{StoppedWalk, WantedPlaces};

/// A price of a kilowatt-hour.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum GridPrice {
    /// Always this decimal.
    Number(String),
    /// The state of this entity.
    Entity(EntityId),
}

/// The prices of energy at the grid.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct GridPrices {
    /// The currency of Home Assistant, such as EUR; `None` if it says none.
    pub currency: Option<String>,
    /// Of drawn energy.
    pub import: Option<GridPrice>,
    /// Of energy that is fed back.
    pub export: Option<GridPrice>,
}

/// The names of a number and of an entity.
type PriceNames = [&'static str; 2];

const DRAWN: PriceNames = ["number_energy_price", "entity_energy_price"];
const FED_BACK: PriceNames = ["number_energy_price_export", "entity_energy_price_export"];

static SOURCE: LazyLock<WantedPlaces> = LazyLock::new(|| {
    let mut places = WantedPlaces::members(["type"]);
    for name in DRAWN.into_iter().chain(FED_BACK) {
        places.add(&format!("/{name}"));
    }
    for position in 0..MOST_FLOWS {
        for name in DRAWN {
            places.add(&format!("/flow_from/{position}/{name}"));
            places.add(&format!("/flow_to/{position}/{name}"));
        }
    }
    places
});
static CURRENCY: LazyLock<WantedPlaces> = LazyLock::new(|| WantedPlaces::at(["/result/currency"]));

/// The prices in the answer to `energy/get_prefs`: of drawn energy, and of energy that is fed back. Where
/// several meters have different ones, there is none.
pub(super) fn grid_prices(answer: &str) -> Result<[Option<GridPrice>; 2], HomeAssistantError> {
    let mut found = [Vec::new(), Vec::new()];
    let walked = SOURCE.each(answer.as_bytes(), "/result/energy_sources", |_, source| {
        if source.get("type").and_then(Value::as_str) == Some("grid") {
            let [import, export] = &mut found;
            put(import, price(&source, "", DRAWN));
            put(export, price(&source, "", FED_BACK));
            for position in 0..MOST_FLOWS {
                put(
                    import,
                    price(&source, &format!("/flow_from/{position}"), DRAWN),
                );
                put(
                    export,
                    price(&source, &format!("/flow_to/{position}"), DRAWN),
                );
            }
        }
        Ok(())
    });
    walked.map_err(|_: StoppedWalk<()>| HomeAssistantError::OtherProtocol)?;
    Ok(found.map(|all| <[GridPrice; 1]>::try_from(all).ok().map(|[only]| only)))
}

/// Adds a price that is not there yet. More than one is as many as two.
fn put(all: &mut Vec<GridPrice>, price: Option<GridPrice>) {
    let new = price.filter(|price| all.len() < 2 && !all.contains(price));
    all.extend(new);
}

fn price(source: &Value, at: &str, [number, entity]: PriceNames) -> Option<GridPrice> {
    let of = |name: &str| source.pointer(&format!("{at}/{name}"));
    let entity = of(entity).and_then(Value::as_str);
    if let Some(entity) = entity.and_then(|text| EntityId::new(text).ok()) {
        return Some(GridPrice::Entity(entity));
    }
    let number = of(number)?.as_f64()?;
    let price = Decimal::parse_price(&number.to_string()).ok()?;
    Some(GridPrice::Number(price.to_string()))
}

/// The currency in the answer to `get_config`.
pub(super) fn currency(answer: &str) -> Option<String> {
    let config = CURRENCY.read(answer.as_bytes()).ok()?;
    let text = config.pointer("/result/currency")?.as_str()?;
    Currency::new(text).ok().map(|it| it.as_str().to_owned())
}

impl GridPrices {
    /// The entities whose states are prices.
    pub fn entities(&self) -> impl Iterator<Item = &EntityId> {
        let both = [&self.import, &self.export].into_iter().flatten();
        both.filter_map(|price| match price {
            GridPrice::Entity(entity) => Some(entity),
            GridPrice::Number(_) => None,
        })
    }

    /// The numbers of a flat contract: the price, and that of energy that is fed back.
    #[must_use]
    pub fn flat(&self) -> Option<(&str, Option<&str>)> {
        match (&self.import, &self.export) {
            (Some(GridPrice::Number(price)), Some(GridPrice::Number(credit))) => {
                Some((price, Some(credit)))
            }
            (Some(GridPrice::Number(price)), _) => Some((price, None)),
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn found(sources: &Value) -> [Option<GridPrice>; 2] {
        let answer = json!({"result": {"energy_sources": sources}});
        grid_prices(&answer.to_string()).unwrap()
    }

    fn number(text: &str) -> GridPrice {
        GridPrice::Number(text.to_owned())
    }

    fn entity(text: &str) -> GridPrice {
        GridPrice::Entity(EntityId::new(text).unwrap())
    }

    #[test]
    fn both_forms_have_prices() {
        let old = json!([{"type": "grid",
            "flow_from": [{"stat_energy_from": "sensor.a", "stat_cost": "sensor.a_cost", "number_energy_price": 0.3215}],
            "flow_to": [{"stat_energy_to": "sensor.b", "entity_energy_price": "sensor.back", "number_energy_price": null}]}]);
        assert_eq!(
            found(&old),
            [number("0.3215"), entity("sensor.back")].map(Some)
        );
        let new = json!([{"type": "grid", "stat_energy_from": "sensor.a", "entity_energy_price": "sensor.price",
            "number_energy_price": null, "number_energy_price_export": 0.08, "entity_energy_price_export": null}]);
        assert_eq!(
            found(&new),
            [entity("sensor.price"), number("0.08")].map(Some)
        );
    }

    #[test]
    fn different_prices_of_several_meters_are_none() {
        let two = |price: f64| json!([{"type": "grid", "flow_from": [{"number_energy_price": 0.3}, {"number_energy_price": price}]}]);
        assert_eq!(found(&two(0.2)), [None, None]);
        assert_eq!(found(&two(0.3)), [Some(number("0.3")), None]);
    }

    #[test]
    fn strange_prices_are_none() {
        for strange in [
            json!([{"type": "gas", "number_energy_price": 1}]),
            json!([{"type": "grid", "number_energy_price": "0.3"}]),
            json!([{"type": "grid", "number_energy_price": 1e300}]),
            json!([{"type": "grid", "entity_energy_price": ""}]),
            json!(5),
        ] {
            assert_eq!(found(&strange), [None, None], "{strange}");
        }
        assert_eq!(
            currency(r#"{"result":{"currency":"EUR"}}"#).as_deref(),
            Some("EUR")
        );
        for none in ["{}", r#"{"result":{"currency":5}}"#, "<"] {
            assert_eq!(currency(none), None);
        }
    }
}
