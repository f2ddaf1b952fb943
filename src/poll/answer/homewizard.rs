//! HomeWizard's API v1: `/api/v1/data`, with the same names in the P1 meter, the kWh meters and the
//! sockets. Unknown values are left out.

use super::{DeviceAnswer, some};
use crate::domain::number::to_millionth;
use crate::ingest::DeviceKind;
use crate::poll::channel::PolledChannel;
use crate::poll::error::PollError;

const TARIFFS: usize = 4;

/// The places of the values that are read here.
pub(super) fn places() -> impl Iterator<Item = String> {
    let registers = ["import", "export"].into_iter().flat_map(|direction| {
        let tariffs = (1..=TARIFFS).map(move |tariff| tariff_at(direction, tariff));
        tariffs.chain([total_at(direction)])
    });
    let others = ["/smr_version", "/active_power_w"].map(str::to_owned);
    registers.chain(others)
}

fn total_at(direction: &str) -> String {
    format!("/total_power_{direction}_kwh")
}

fn tariff_at(direction: &str, tariff: usize) -> String {
    format!("/total_power_{direction}_t{tariff}_kwh")
}

pub(in crate::poll) fn meter(answer: DeviceAnswer<'_>) -> Result<Vec<PolledChannel>, PollError> {
    // Only readers of a utility's meter know the version of its messages.
    let kind = match answer.at("/smr_version") {
        Some(_) => DeviceKind::UtilityMeter,
        None => DeviceKind::Meter,
    };
    let channel = PolledChannel {
        number: 0,
        kind,
        watts: answer.number("/active_power_w"),
        register: register(answer, "import"),
        returned: register(answer, "export"),
    };
    some(vec![channel])
}

/// The total in Wh; for older firmware, the sum of the tariffs. In newer firmware the tariffs
/// repeat the same energy.
fn register(answer: DeviceAnswer<'_>, direction: &str) -> Option<f64> {
    const KILO: f64 = 1_000.0;
    let total = answer.checked_number(&total_at(direction));
    if let Some(total) = total.ok()? {
        return Some(to_millionth(total * KILO));
    }
    let mut sum = None;
    for tariff in 1..=TARIFFS {
        let counted = answer.checked_number(&tariff_at(direction, tariff));
        // Without one of them, the sum would be a dip.
        if let Some(counted) = counted.ok()? {
            sum = Some(sum.unwrap_or(0.0) + counted * KILO);
        }
    }
    sum.map(to_millionth)
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;
    use crate::poll::answer::tests::read;

    fn only(json: &Value) -> PolledChannel {
        read(meter, json).unwrap()[0]
    }

    #[test]
    fn a_p1_meter_has_totals() {
        // A Landis + Gyr with two tariffs, and a third one that repeats the energy of the second.
        let json = json!({"smr_version": 50, "active_tariff": 2, "total_power_import_kwh": 18664.997,
            "total_power_import_t1_kwh": 10909.724, "total_power_import_t2_kwh": 7755.273,
            "total_power_import_t3_kwh": 7755.273, "total_power_export_kwh": 13823.608, "total_power_export_t1_kwh": 4243.981,
            "total_power_export_t2_kwh": 9579.627, "active_power_w": 203.0, "active_power_l1_w": -21.0,
            "total_gas_m3": 5175.363});
        let channel = only(&json);
        assert_eq!(channel.kind, DeviceKind::UtilityMeter);
        assert_eq!(channel.watts, Some(203.0));
        assert_eq!(channel.register, Some(18_664_997.0));
        assert_eq!(channel.returned, Some(13_823_608.0));
    }

    #[test]
    fn tariffs_of_older_firmware_are_added_up() {
        let json = json!({"total_power_import_t1_kwh": 10830.511, "total_power_import_t2_kwh": 2948.827,
            "total_power_export_t1_kwh": 1285.951, "total_power_export_t2_kwh": 2876.51, "active_power_w": -678});
        let channel = only(&json);
        assert_eq!(channel.register, Some(13_779_338.0));
        assert_eq!(channel.returned, Some(4_162_461.0));
        // A kWh meter.
        let json = json!({"total_power_import_t1_kwh": 2.705, "total_power_export_t1_kwh": 255.551, "active_power_w": -1058.296});
        assert_eq!(only(&json).register, Some(2_705.0));
        assert_eq!(only(&json).kind, DeviceKind::Meter);
    }

    #[test]
    fn what_is_left_out_is_not_0() {
        let json = json!({"total_power_import_kwh": 5.0, "active_power_w": 10});
        assert_eq!(only(&json).returned, None);
        let json = json!({"total_power_import_kwh": 5.0});
        assert_eq!(only(&json).watts, None);
        let json = json!({"wifi_strength": 78});
        assert_eq!(read(meter, &json), Err(PollError::NoNumbers));
    }
}
