//! Reading registers by Modbus TCP.
//!
//! Format: MODBUS Messaging on TCP/IP Implementation Guide V1.0b (the header), MODBUS Application
//! Protocol V1.1b3, 6.3 (function 3, read holding registers) and 7 (exceptions).

use std::io;
use std::time::Duration;

use tokio::io::{AsyncRead, AsyncReadExt as _, AsyncWrite, AsyncWriteExt as _};
use tokio::time::timeout;

use super::error::PollError;

/// The time that a device has for each answer. Some gateways take seconds.
pub(super) const TIMEOUT: Duration = Duration::from_secs(10);
/// The most registers in one answer.
#[cfg(any(test, fuzzing))]
pub(super) const MAX_REGISTERS: u16 = 125;
const READ_HOLDING_REGISTERS: u8 = 3;
/// Added to the function code in an exception.
const EXCEPTION: u8 = 0x80;
/// Transaction, protocol, length of the rest, unit.
const HEAD_BYTES: usize = 7;
/// The maximum number of bytes after the unit.
const MAX_PDU_BYTES: usize = 253;

/// A connection with at most one request under way. After an error it is useless, because a late
/// answer would be taken for that of the next request.
pub(super) struct ModbusLine<S> {
    stream: S,
    transaction: u16,
    /// The time for each answer.
    within: Duration,
}

/// A request for registers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct RegisterRequest {
    transaction: u16,
    unit: u8,
    address: u16,
    count: u16,
}

impl<S: AsyncRead + AsyncWrite + Unpin> ModbusLine<S> {
    pub(super) const fn new(stream: S) -> Self {
        Self {
            stream,
            transaction: 0,
            within: TIMEOUT,
        }
    }

    /// Reads `count` registers from `address` on, at most 125.
    pub(super) async fn read(
        &mut self,
        unit: u8,
        address: u16,
        count: u16,
    ) -> Result<Vec<u16>, PollError> {
        self.transaction = self.transaction.wrapping_add(1);
        let request = RegisterRequest {
            transaction: self.transaction,
            unit,
            address,
            count,
        };
        let within = self.within;
        let answered = timeout(within, self.exchange(request)).await;
        answered.unwrap_or(Err(PollError::NoAnswer(within)))
    }

    async fn exchange(&mut self, request: RegisterRequest) -> Result<Vec<u16>, PollError> {
        let broken = |error: io::Error| PollError::Unreachable(error.to_string());
        let stream = &mut self.stream;
        stream.write_all(&request.bytes()).await.map_err(broken)?;
        stream.flush().await.map_err(broken)?;
        let mut head = [0; HEAD_BYTES];
        stream.read_exact(&mut head).await.map_err(broken)?;
        let length = request.length_after(head).ok_or(PollError::NotModbus)?;
        let mut pdu = vec![0; length];
        stream.read_exact(&mut pdu).await.map_err(broken)?;
        request.registers(&pdu)
    }
}

impl RegisterRequest {
    fn bytes(self) -> [u8; 12] {
        let [t0, t1] = self.transaction.to_be_bytes();
        let [a0, a1] = self.address.to_be_bytes();
        let [c0, c1] = self.count.to_be_bytes();
        let function = READ_HOLDING_REGISTERS;
        [t0, t1, 0, 0, 0, 6, self.unit, function, a0, a1, c0, c1]
    }

    /// The number of bytes after the head of its answer; `None` if the head belongs to something
    /// else.
    fn length_after(self, head: [u8; HEAD_BYTES]) -> Option<usize> {
        let [t0, t1, p0, p1, l0, l1, unit] = head;
        let is_own = u16::from_be_bytes([t0, t1]) == self.transaction
            && [p0, p1] == [0, 0]
            && unit == self.unit;
        // The length includes the unit.
        let length = usize::from(u16::from_be_bytes([l0, l1])).checked_sub(1)?;
        (is_own && (2..=MAX_PDU_BYTES).contains(&length)).then_some(length)
    }

    /// The registers in its answer, without the head.
    fn registers(self, pdu: &[u8]) -> Result<Vec<u16>, PollError> {
        match pdu {
            [function, code] if *function == READ_HOLDING_REGISTERS | EXCEPTION => {
                Err(PollError::Exception(*code))
            }
            [READ_HOLDING_REGISTERS, length, data @ ..]
                if usize::from(*length) == data.len()
                    && data.len() == 2 * usize::from(self.count) =>
            {
                let pairs = data.as_chunks().0.iter();
                Ok(pairs.map(|pair| u16::from_be_bytes(*pair)).collect())
            }
            _ => Err(PollError::NotModbus),
        }
    }
}

/// Checks that no answer panics, and that an accepted one has as many registers as requested.
///
/// # Panics
/// If it has not.
#[cfg(any(test, fuzzing))]
pub(super) fn fuzz_answer(bytes: &[u8]) {
    let Some((head, rest)) = bytes.split_first_chunk::<HEAD_BYTES>() else {
        return;
    };
    let [t0, t1, _, _, _, _, unit] = *head;
    for count in [1, 2, MAX_REGISTERS] {
        let request = RegisterRequest {
            transaction: u16::from_be_bytes([t0, t1]),
            unit,
            address: 0,
            count,
        };
        let length = request.length_after(*head);
        if let Some(pdu) = length.and_then(|length| rest.get(..length))
            && let Ok(registers) = request.registers(pdu)
        {
            assert_eq!(registers.len(), usize::from(count));
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn hex(text: &str) -> Vec<u8> {
        let digits: Vec<&str> = text.split_whitespace().collect();
        let byte = |digits: &&str| u8::from_str_radix(digits, 16).unwrap();
        digits.iter().map(byte).collect()
    }

    fn answered(request: RegisterRequest, answer: &str) -> Result<Vec<u16>, PollError> {
        let bytes = hex(answer);
        let (head, pdu) = bytes.split_first_chunk().unwrap();
        let length = request.length_after(*head).ok_or(PollError::NotModbus)?;
        assert_eq!(length, pdu.len());
        request.registers(pdu)
    }

    /// The request sent to a Fronius Datamanager: whether `SunS` is at 40000.
    const OF_FRONIUS: RegisterRequest = RegisterRequest {
        transaction: 1,
        unit: 240,
        address: 40_000,
        count: 2,
    };

    #[test]
    fn frames_are_those_of_devices() {
        assert_eq!(
            OF_FRONIUS.bytes().to_vec(),
            hex("00 01 00 00 00 06 f0 03 9c 40 00 02")
        );
        assert_eq!(
            answered(OF_FRONIUS, "00 01 00 00 00 07 f0 03 04 53 75 6e 53"),
            Ok(vec![0x5375, 0x6e53])
        );
        let wrong_unit = RegisterRequest {
            unit: 101,
            ..OF_FRONIUS
        };
        assert_eq!(
            answered(wrong_unit, "00 01 00 00 00 03 65 83 0b"),
            Err(PollError::Exception(0x0b))
        );
    }

    #[test]
    fn other_answers_are_refused() {
        for answer in [
            // Another transaction, protocol, unit, function; too few registers, and an invalid
            // length.
            "00 02 00 00 00 07 f0 03 04 53 75 6e 53",
            "00 01 00 01 00 07 f0 03 04 53 75 6e 53",
            "00 01 00 00 00 07 f1 03 04 53 75 6e 53",
            "00 01 00 00 00 07 f0 04 04 53 75 6e 53",
            "00 01 00 00 00 05 f0 03 02 53 75",
            "00 01 00 00 00 07 f0 03 06 53 75 6e 53",
        ] {
            assert_eq!(
                answered(OF_FRONIUS, answer),
                Err(PollError::NotModbus),
                "{answer}"
            );
        }
        for length in ["00 00", "00 01", "00 02", "00 ff", "ff ff"] {
            let head = hex(&format!("00 01 00 00 {length} f0"));
            assert_eq!(OF_FRONIUS.length_after(*head.first_chunk().unwrap()), None);
        }
    }

    #[test]
    fn a_line_takes_answers_in_parts_and_no_late_ones() {
        let runtime = tokio::runtime::Builder::new_current_thread()
            .enable_time()
            .build()
            .unwrap();
        runtime.block_on(async {
            let (mut device, ours) = tokio::io::duplex(64);
            let mut line = ModbusLine::new(ours);
            let answering = async {
                let mut request = [0; 12];
                device.read_exact(&mut request).await.unwrap();
                for byte in hex("00 01 00 00 00 05 01 03 02 12 34") {
                    device.write_all(&[byte]).await.unwrap();
                    tokio::task::yield_now().await;
                }
            };
            let (registers, ()) = tokio::join!(line.read(1, 5, 1), answering);
            assert_eq!(registers, Ok(vec![0x1234]));
            line.within = Duration::from_millis(1);
            let no_answer = Err(PollError::NoAnswer(line.within));
            assert_eq!(line.read(1, 5, 1).await, no_answer);
            line.within = TIMEOUT;
            // The answer to that request comes while the next one is under way.
            let late = hex("00 02 00 00 00 05 01 03 02 12 34");
            device.write_all(&late).await.unwrap();
            assert_eq!(line.read(1, 5, 1).await, Err(PollError::NotModbus));
            drop(device);
            let gone = line.read(1, 5, 1).await;
            assert!(matches!(gone, Err(PollError::Unreachable(_))));
        });
    }

    proptest! {
        #[test]
        fn no_answer_panics(bytes in proptest::collection::vec(any::<u8>(), 0..300)) {
            fuzz_answer(&bytes);
        }

        #[test]
        fn registers_are_read_as_they_are_written(
            registers in proptest::collection::vec(any::<u16>(), 1..=usize::from(MAX_REGISTERS)),
            transaction in any::<u16>(),
            unit in any::<u8>(),
        ) {
            let count = u16::try_from(registers.len()).unwrap();
            let request = RegisterRequest { transaction, unit, address: 7, count };
            let data: Vec<u8> = registers.iter().flat_map(|register| register.to_be_bytes()).collect();
            let mut pdu = vec![3, u8::try_from(data.len()).unwrap()];
            pdu.extend(data);
            let [t0, t1] = transaction.to_be_bytes();
            let length = u8::try_from(pdu.len() + 1).unwrap();
            prop_assert_eq!(request.length_after([t0, t1, 0, 0, 0, length, unit]), Some(pdu.len()));
            prop_assert_eq!(request.registers(&pdu), Ok(registers));
        }
    }
}
