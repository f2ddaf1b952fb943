//! The meaning of a model's registers. Offsets count from the first register after the length of
//! the model.
//!
//! Source: the models of the SunSpec Alliance (github.com/sunspec/models), 1, 101-103, 111-113,
//! 201-204, 211-214 and 701. A value is a whole number with a scale factor, a power of ten, in
//! another register; both are read in one request, because some devices change the factor as they
//! run. Or it is a float. In all values the high word comes first.

use crate::ingest::DeviceKind;
use crate::poll::channel::PolledChannel;

/// The part of a device to read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::poll) enum SunspecPart {
    /// The first inverter: its production.
    Inverter,
    /// All meters, each with both directions.
    Meters,
}

/// A model in the chain of a device.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct SunspecModel {
    pub(super) form: ModelForm,
    /// The address of its first register after its length.
    pub(super) address: u16,
    /// The number of registers to read from there.
    pub(super) count: u16,
    /// Whether its power is positive for exports, contrary to the standard.
    pub(super) is_turned: bool,
}

/// The numbers of a model.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ModelForm {
    /// 101, 102, 103: an inverter, in whole numbers.
    Inverter,
    /// 111, 112, 113: an inverter, in floats.
    InverterFloat,
    /// 701: an inverter, newer.
    Der,
    /// 201, 202, 203, 204: a meter, in whole numbers.
    Meter,
    /// 211, 212, 213, 214: a meter, in floats.
    MeterFloat,
}

impl ModelForm {
    /// The form of a model; `None` for models that are not used here.
    pub(super) const fn of(id: u16) -> Option<Self> {
        match id {
            101..=103 => Some(Self::Inverter),
            111..=113 => Some(Self::InverterFloat),
            701 => Some(Self::Der),
            201..=204 => Some(Self::Meter),
            211..=214 => Some(Self::MeterFloat),
            _ => None,
        }
    }

    pub(super) const fn part(self) -> SunspecPart {
        match self {
            Self::Inverter | Self::InverterFloat | Self::Der => SunspecPart::Inverter,
            Self::Meter | Self::MeterFloat => SunspecPart::Meters,
        }
    }

    /// The length of such a model, and the number of its registers to read. These end where a value
    /// ends, because some devices refuse to send half of one.
    pub(super) const fn registers(self) -> (u16, u16) {
        match self {
            Self::Inverter => (50, 50),
            Self::InverterFloat => (60, 60),
            // Longer than one answer; read up to the last scale factor that is needed.
            Self::Der => (153, 119),
            Self::Meter => (105, 105),
            Self::MeterFloat => (124, 124),
        }
    }
}

impl SunspecModel {
    /// The values of its registers, as channel `number`; `None` while the device is starting.
    pub(super) fn channel(&self, number: usize, registers: &[u16]) -> Option<PolledChannel> {
        // Some devices answer with all bits set while they start. As numbers, these would be a
        // power of -0.1 W.
        if registers.iter().all(|register| *register == u16::MAX) {
            return None;
        }
        let body = ModelBody(registers);
        let (watts, register, returned) = match self.form {
            ModelForm::Inverter => (body.power(12, 13), body.total(22, 24), None),
            ModelForm::InverterFloat => (body.float(20), body.float(30), None),
            ModelForm::Der => (body.power(8, 114), body.long_total(17, 118), None),
            ModelForm::Meter => (body.power(16, 20), body.total(44, 52), body.total(36, 52)),
            ModelForm::MeterFloat => (body.float(26), body.float(66), body.float(58)),
        };
        let (kind, watts) = match self.form.part() {
            SunspecPart::Inverter => (DeviceKind::Inverter, watts),
            SunspecPart::Meters if self.is_turned => (DeviceKind::Meter, watts.map(|watts| -watts)),
            SunspecPart::Meters => (DeviceKind::Meter, watts),
        };
        let channel = PolledChannel {
            number,
            kind,
            watts,
            register,
            returned,
        };
        Some(channel).filter(|it| !it.is_empty())?.once_started()
    }
}

/// The registers of a model. Values that are not implemented are `None`.
struct ModelBody<'r>(&'r [u16]);

impl ModelBody<'_> {
    fn register(&self, at: usize) -> Option<u16> {
        self.0.get(at).copied()
    }

    fn double(&self, at: usize) -> Option<u32> {
        let (high, low) = (self.register(at)?, self.register(at + 1)?);
        Some(u32::from(high) << 16 | u32::from(low))
    }

    /// The power of ten at `at`.
    fn factor(&self, at: usize) -> Option<i32> {
        let factor = self.register(at)?.cast_signed();
        // 0x8000, not implemented, is not in this range.
        (-10..=10).contains(&factor).then(|| i32::from(factor))
    }

    /// A signed 16-bit number.
    fn power(&self, at: usize, factor_at: usize) -> Option<f64> {
        let raw = self.register(at)?.cast_signed();
        let is_there = raw != i16::MIN;
        is_there.then(|| scaled(f64::from(raw), self.factor(factor_at)?.into()))?
    }

    /// A 32-bit total.
    fn total(&self, at: usize, factor_at: usize) -> Option<f64> {
        // Devices send the first value for a missing value of another type.
        let is_there = |raw: &u32| ![0x8000_0000, u32::MAX].contains(raw);
        let raw = self.double(at).filter(is_there)?;
        let factor = self.factor(factor_at)?;
        // Meters of Kostal count exports downwards from 0. No house has two billion watt-hours.
        let is_negative = raw.cast_signed() < 0 && factor >= 0;
        let raw = if is_negative { raw.wrapping_neg() } else { raw };
        scaled(f64::from(raw), Some(factor))
    }

    /// A 64-bit total.
    fn long_total(&self, at: usize, factor_at: usize) -> Option<f64> {
        let (high, low) = (self.double(at)?, self.double(at + 2)?);
        if [(0x8000_0000, 0), (u32::MAX, u32::MAX)].contains(&(high, low)) {
            return None;
        }
        let raw = f64::from(high) * 4_294_967_296.0 + f64::from(low);
        scaled(raw, self.factor(factor_at))
    }

    fn float(&self, at: usize) -> Option<f64> {
        let float = f32::from_bits(self.double(at)?);
        float.is_finite().then(|| f64::from(float))
    }
}

/// Divides for negative powers: this is exact to the last digit, while multiplying by 0.1 is not.
fn scaled(raw: f64, factor: Option<i32>) -> Option<f64> {
    let factor = factor?;
    let power = 10_f64.powi(factor.abs());
    Some(if factor < 0 { raw / power } else { raw * power })
}

/// Checks that no registers panic, and that the values read are finite.
///
/// # Panics
/// If a value is not finite.
#[cfg(any(test, fuzzing))]
pub(in crate::poll) fn fuzz_registers(bytes: &[u8]) {
    let registers: Vec<u16> = bytes
        .as_chunks()
        .0
        .iter()
        .map(|pair| u16::from_be_bytes(*pair))
        .collect();
    for id in [101, 111, 201, 211, 701] {
        let Some(form) = ModelForm::of(id) else {
            continue;
        };
        let model = SunspecModel {
            form,
            address: 0,
            count: 0,
            is_turned: true,
        };
        if let Some(channel) = model.channel(0, &registers) {
            channel.fuzz();
        }
    }
}

#[cfg(test)]
pub(super) mod tests {
    use proptest::prelude::*;

    use super::*;

    pub(in crate::poll::sunspec) fn words(text: &str) -> Vec<u16> {
        let words = text.split_whitespace();
        words
            .map(|word| u16::from_str_radix(word, 16).unwrap())
            .collect()
    }

    /// The registers, filled up with 0 to the length of the model.
    fn shown(id: u16, is_turned: bool, text: &str) -> Option<Numbers> {
        let form = ModelForm::of(id).unwrap();
        let count = form.registers().1;
        assert!(count <= crate::poll::modbus::MAX_REGISTERS);
        let mut registers = words(text);
        registers.resize(usize::from(count), 0);
        let model = SunspecModel {
            form,
            address: 40_071,
            count,
            is_turned,
        };
        let channel = model.channel(0, &registers)?;
        let is_inverter = channel.kind == DeviceKind::Inverter;
        assert_eq!(is_inverter, form.part() == SunspecPart::Inverter);
        Some((channel.watts, channel.register, channel.returned))
    }

    type Numbers = (Option<f64>, Option<f64>, Option<f64>);

    #[test]
    fn inverters_in_whole_numbers() {
        // A SolarEdge SE3000H, and a SE10K.
        let se3000h = "00DC 00DC FFFF FFFF FFFE 0967 FFFF FFFF FFFF FFFF FFFF FFFF 13E4 FFFF C356 FFFD 14C1 FFFF 3B46 FFFE \
            256F FFFE 0000 450F 0000 34A5 FFFC 0EFC FFFF 1432 FFFF 8000 0EE6 8000 8000 FFFE 0004 0000 FFFF FFFF FFFF FFFF";
        assert_eq!(
            shown(101, false, se3000h),
            Some((Some(509.2), Some(17_679.0), None))
        );
        let se10k = "0942 030d 031d 0317 fffe 0fae 0fbe 0fb7 090b 090a 0921 ffff 1590 0000 1384 fffe 1598 0000 f3b2 ffff \
            d901 fffe 01fc 6b62 0000 1cbe fffd 1dc0 ffff 15e4 0000 8000 144d 8000 8000 fffe 0004 0000";
        assert_eq!(
            shown(103, true, se10k),
            Some((Some(5_520.0), Some(33_319_778.0), None))
        );
    }

    #[test]
    fn an_inverter_at_night_has_no_power_instead_of_0() {
        // An SMA SB3.6-1AV-41.
        let night = "FFFF FFFF FFFF FFFF FFFF FFFF FFFF FFFF FFFF FFFF FFFF FFFF 8000 0001 FFFF FFFE 8000 0001 8000 0001 \
            8000 FFFD 002C FB4A 0001 FFFF 8000 FFFF 8000 8000 0001 8000 8000 8000 8000 0000 FFFF FFFF";
        assert_eq!(
            shown(101, false, night),
            Some((None, Some(29_479_140.0), None))
        );
    }

    #[test]
    fn a_total_that_is_missing_is_no_total() {
        for missing in ["8000 0000", "FFFF FFFF"] {
            let model = format!(
                "{} 0064 0000 {} {missing} 0000",
                "0 ".repeat(12),
                "0 ".repeat(8)
            );
            let watts_only = Some((Some(100.0), None, None));
            assert_eq!(shown(101, false, &model), watts_only, "{missing}");
            let mut words = vec!["0000"; 119];
            words[8] = "0001";
            let (high, low) = missing.split_once(' ').unwrap();
            (words[17], words[18]) = (high, low);
            (words[19], words[20]) = (low, low);
            let watts_only = Some((Some(1.0), None, None));
            assert_eq!(shown(701, false, &words.join(" ")), watts_only, "{missing}");
        }
    }

    #[test]
    fn frames_that_say_nothing_are_dropped() {
        // A Datamanager that is polled too often: zeros, and the state `fault`.
        let mut zeros = vec!["0000"; 50];
        zeros[36] = "0007";
        assert_eq!(shown(103, false, &zeros.join(" ")), None);
        assert_eq!(shown(203, false, ""), None);
        assert_eq!(shown(113, false, ""), None);
        assert_eq!(shown(101, false, &"FFFF ".repeat(50)), None);
        assert_eq!(shown(211, false, &"7FC0 0000 ".repeat(62)), None);
        // Power without a factor is meaningless.
        let no_factor = "0 0 0 0 0 0 0 0 0 0 0 0 13E4 8000 0 0 0 0 0 0 0 0 0000 450F 0000";
        assert_eq!(
            shown(101, false, no_factor),
            Some((None, Some(17_679.0), None))
        );
    }

    #[test]
    fn meters_have_both_directions() {
        // The meter at a SolarEdge, whose power is inverted, and a Kostal KSEM, which counts
        // exports downwards.
        let solaredge = "0066 002f 0008 002e ffff 5b98 5b98 5cd3 5a6c 0000 0000 0000 0000 fffe 1387 fffe ffa5 0408 ff85 fc18 \
            0000 01dc 041c 0094 03f8 0000 fe2d ff31 ffaf ff4e 0000 081c db02 1950 2403 fffe 0144 8402 015e 6052 0000 0000 \
            0000 0000 0114 0820 0028 f5e8 0053 b622 00b1 3865 0000";
        let expected = Some((Some(91.0), Some(18_090_016.0), Some(21_267_458.0)));
        assert_eq!(shown(203, true, solaredge), expected);
        let ksem = "8000 0406 00d0 00a0 fffe 8000 59c6 5aae 5aad 8000 8000 8000 8000 fffe 1386 fffe 0133 00eb 002f 0018 0001 \
            0135 00ec 002f 001d 0001 ffe3 fff2 0000 fff1 0001 03e3 03e6 03e8 0348 fffd ffb6 d9fd ffdd ef20 ffe4 73de ffe0 \
            ba02 002e 108f 0018 22c1 0017 c1ff 0011 e8cc 0000";
        let expected = Some((Some(3_070.0), Some(3_018_895.0), Some(4_793_859.0)));
        assert_eq!(shown(203, false, ksem), expected);
    }

    /// The words of floats at these places.
    fn floats(at: &[(usize, f32)]) -> String {
        let mut words: Vec<String> = ["7FC0", "0000"]
            .repeat(62)
            .iter()
            .map(ToString::to_string)
            .collect();
        for (place, float) in at {
            let bits = float.to_bits();
            words[*place] = format!("{:04x}", bits >> 16);
            words[place + 1] = format!("{:04x}", bits & 0xFFFF);
        }
        words.join(" ")
    }

    #[test]
    fn floats_are_read_as_they_are() {
        // Numbers from a Fronius Symo.
        let symo = floats(&[(20, 177.0), (30, 2.632e7)]);
        assert_eq!(
            shown(113, false, &symo),
            Some((Some(177.0), Some(26_320_000.0), None))
        );
        let meter = floats(&[(26, -512.5), (58, 1_000.0), (66, 2_000.0)]);
        let expected = Some((Some(-512.5), Some(2_000.0), Some(1_000.0)));
        assert_eq!(shown(213, false, &meter), expected);
        let infinite = floats(&[(26, f32::INFINITY), (66, 5.0)]);
        assert_eq!(shown(213, false, &infinite), Some((None, Some(5.0), None)));
    }

    #[test]
    fn newer_inverters_count_in_64_bits() {
        let mut words = vec!["0000"; 119];
        (words[8], words[20]) = ("2648", "0096");
        assert_eq!(
            shown(701, false, &words.join(" ")),
            Some((Some(9_800.0), Some(150.0), None))
        );
        (words[8], words[18], words[118]) = ("FFFF", "0001", "0001");
        let expected = Some((Some(-1.0), Some(42_949_674_460.0), None));
        assert_eq!(shown(701, false, &words.join(" ")), expected);
    }

    proptest! {
        #[test]
        fn no_registers_panic(bytes in proptest::collection::vec(any::<u8>(), 0..260)) {
            fuzz_registers(&bytes);
        }
    }
}
