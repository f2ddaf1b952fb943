//! The models of a device: a marker, then each model with its number and its length, up to an end.

use tokio::io::{AsyncRead, AsyncWrite};

use super::model::{ModelForm, SunspecModel, SunspecPart};
use crate::poll::error::PollError;
use crate::poll::modbus::ModbusLine;

/// The possible addresses of the marker.
const BASES: [u16; 3] = [40_000, 50_000, 0];
/// `SunS`.
const MARKER: [u16; 2] = [0x5375, 0x6E53];
/// The number of the end model.
const END: u16 = 0xFFFF;
/// The model with the maker's name, and the length of that name in registers.
const COMMON: u16 = 1;
const MAKER_REGISTERS: u16 = 16;
/// The maximum number of models examined. An inverter has some thirty.
const MAX_MODELS: usize = 64;
/// Exceptions for an address without registers: unknown function, address, value.
const NOTHING_THERE: std::ops::RangeInclusive<u8> = 1..=3;

/// Returns the models of a device that have power and registers.
pub(super) async fn models<S: AsyncRead + AsyncWrite + Unpin>(
    line: &mut ModbusLine<S>,
    unit: u8,
) -> Result<Vec<SunspecModel>, PollError> {
    let mut address = base(line, unit).await?.saturating_add(2);
    let (mut models, mut is_turned) = (Vec::new(), false);
    for index in 0..MAX_MODELS {
        let head = match line.read(unit, address, 2).await {
            Ok(head) => head,
            // Some devices have nothing at the end of their chain.
            Err(PollError::Exception(code)) if index > 0 && NOTHING_THERE.contains(&code) => break,
            Err(error) => return Err(error),
        };
        let [id, length] = head[..] else { break };
        let body = address.checked_add(2).filter(|_| id != END && length > 0);
        let Some(body) = body else { break };
        if id == COMMON && length >= MAKER_REGISTERS {
            let maker = line.read(unit, body, MAKER_REGISTERS).await?;
            // An inverter of SolarEdge shows exports of its meters as positive, contrary to the
            // standard. The meters may be of another maker.
            is_turned |= text(&maker).starts_with("SolarEdge");
        }
        if let Some(form) = ModelForm::of(id) {
            let (least, count) = form.registers();
            if length >= least {
                models.push(SunspecModel {
                    form,
                    address: body,
                    count,
                    is_turned,
                });
            }
        }
        let Some(next) = body.checked_add(length) else {
            break;
        };
        address = next;
    }
    Ok(models)
}

/// The models of a part. Some inverters repeat the same numbers as floats.
pub(super) fn of_part(models: &[SunspecModel], part: SunspecPart) -> Vec<SunspecModel> {
    let own = models.iter().filter(|model| model.form.part() == part);
    let most = match part {
        SunspecPart::Inverter => 1,
        SunspecPart::Meters => crate::poll::channel::MAX_CHANNELS,
    };
    own.take(most).cloned().collect()
}

/// Finds the address of the marker.
async fn base<S: AsyncRead + AsyncWrite + Unpin>(
    line: &mut ModbusLine<S>,
    unit: u8,
) -> Result<u16, PollError> {
    for base in BASES {
        match line.read(unit, base, 2).await {
            Ok(marker) if marker == MARKER => return Ok(base),
            Ok(_) => {}
            Err(PollError::Exception(code)) if NOTHING_THERE.contains(&code) => {}
            Err(error) => return Err(error),
        }
    }
    Err(PollError::NoSunspec)
}

/// The text in registers, two characters each, up to the first zero.
fn text(registers: &[u16]) -> String {
    let bytes = registers.iter().flat_map(|register| register.to_be_bytes());
    let bytes: Vec<u8> = bytes.take_while(|byte| *byte != 0).collect();
    String::from_utf8_lossy(&bytes).into_owned()
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use proptest::prelude::*;
    use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _, DuplexStream};

    use super::*;

    /// A device with these registers; all others are an exception.
    async fn serve(mut stream: DuplexStream, registers: BTreeMap<u16, u16>) {
        let mut request = [0; 12];
        while stream.read_exact(&mut request).await.is_ok() {
            let word = |at: usize| u16::from_be_bytes([request[at], request[at + 1]]);
            let asked = (0..word(10)).map(|n| registers.get(&word(8).wrapping_add(n)));
            let found: Option<Vec<u8>> = asked
                .map(|register| Some(register?.to_be_bytes()))
                .collect::<Option<Vec<_>>>()
                .map(|pairs| pairs.concat());
            let pdu = match found {
                Some(data) => [&[3, u8::try_from(data.len()).unwrap()], &data[..]].concat(),
                None => vec![0x83, 2],
            };
            let length = u8::try_from(pdu.len() + 1).unwrap();
            let head = [request[0], request[1], 0, 0, 0, length, request[6]];
            stream.write_all(&[&head[..], &pdu].concat()).await.unwrap();
        }
    }

    fn found(registers: BTreeMap<u16, u16>) -> Result<Vec<SunspecModel>, PollError> {
        let runtime = tokio::runtime::Builder::new_current_thread()
            .enable_time()
            .build()
            .unwrap();
        runtime.block_on(async {
            let (device, ours) = tokio::io::duplex(1_024);
            let mut line = ModbusLine::new(ours);
            let finding = async {
                let found = models(&mut line, 1).await;
                drop(line);
                found
            };
            tokio::join!(finding, serve(device, registers)).0
        })
    }

    /// The registers of a chain: the marker, then models with these numbers and lengths, filled
    /// with zeros.
    fn chain(base: u16, models: &[(u16, u16)]) -> BTreeMap<u16, u16> {
        let mut words = MARKER.to_vec();
        for (id, length) in models {
            words.extend([*id, *length]);
            words.extend(std::iter::repeat_n(0, usize::from(*length)));
        }
        (base..).zip(words).collect()
    }

    fn addresses(models: &[SunspecModel]) -> Vec<u16> {
        models.iter().map(|model| model.address).collect()
    }

    #[test]
    fn models_are_found_in_the_chains_of_devices() {
        // A Plenticore plus 10, with an end; and an SMA SB3.6, which stops without one.
        let plenticore = chain(
            40_000,
            &[
                (1, 66),
                (103, 50),
                (113, 60),
                (120, 26),
                (123, 24),
                (160, 68),
                (203, 105),
                (802, 62),
                (END, 0),
            ],
        );
        let models = found(plenticore).unwrap();
        assert_eq!(addresses(&models), [40_072, 40_124, 40_310]);
        assert_eq!(
            addresses(&of_part(&models, SunspecPart::Inverter)),
            [40_072]
        );
        assert_eq!(addresses(&of_part(&models, SunspecPart::Meters)), [40_310]);
        let sma = chain(40_000, &[(1, 66), (11, 13), (12, 98), (101, 50), (120, 26)]);
        assert_eq!(addresses(&found(sma).unwrap()), [40_187]);
        for base in [50_000, 0] {
            let elsewhere = chain(base, &[(1, 65), (213, 124), (END, 0)]);
            assert_eq!(addresses(&found(elsewhere).unwrap()), [base + 71]);
        }
    }

    #[test]
    fn the_maker_decides_which_way_round_a_meter_is() {
        let with_makers = |first: &[u8], second: &[u8]| {
            let mut registers = chain(40_000, &[(1, 65), (103, 50), (1, 65), (203, 105), (END, 0)]);
            for (address, name) in [(40_004, first), (40_123, second)] {
                for (register, pair) in (address..).zip(name.chunks(2)) {
                    let low = pair.get(1).copied().unwrap_or(0);
                    registers.insert(register, u16::from_be_bytes([pair[0], low]));
                }
            }
            let models = found(registers).unwrap();
            of_part(&models, SunspecPart::Meters)[0].is_turned
        };
        assert!(with_makers(b"SolarEdge ", b"SolarEdge"));
        assert!(with_makers(b"SolarEdge ", b"WattNode"));
        assert!(!with_makers(b"KOSTAL", b"KOSTAL"));
    }

    #[test]
    fn other_registers_are_no_chain() {
        assert_eq!(found(BTreeMap::new()), Err(PollError::NoSunspec));
        let zeros = (0..=u16::MAX).map(|address| (address, 0)).collect();
        assert_eq!(found(zeros), Err(PollError::NoSunspec));
        // A model that is too short to contain the numbers.
        let short = chain(40_000, &[(1, 66), (103, 20), (END, 0)]);
        assert_eq!(found(short), Ok(vec![]));
        // A chain without an end: each word is read as a model of one register.
        let mut endless: BTreeMap<u16, u16> = (0..=u16::MAX).map(|address| (address, 1)).collect();
        endless.extend((40_000..).zip(MARKER));
        assert_eq!(found(endless), Ok(vec![]));
        // A chain that goes beyond the last address.
        let mut beyond = chain(40_000, &[(1, 66)]);
        beyond.extend([(40_070, 200), (40_071, 0xFFF0)]);
        assert_eq!(found(beyond), Ok(vec![]));
    }

    proptest! {
        #![proptest_config(ProptestConfig { cases: 64, ..ProptestConfig::default() })]

        #[test]
        fn any_chain_comes_to_an_end(words in proptest::collection::vec(prop_oneof![0..4_u16, 101..214_u16, any::<u16>()], 0..600)) {
            let mut registers: BTreeMap<u16, u16> = (40_002..).zip(words).collect();
            registers.extend((40_000..).zip(MARKER));
            if let Ok(models) = found(registers) {
                prop_assert!(models.len() <= MAX_MODELS);
            }
        }
    }
}
