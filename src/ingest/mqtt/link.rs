//! Packets to the broker and from it.
//!
//! Format: MQTT 3.1.1, which every broker speaks, by rumqttc's packets. The loop around them is ours: rumqttc's breaks the
//! connection at a message that is too large, and the broker sends that one again and again; here it is passed over.

use std::io;
use std::time::Duration;

use bytes::{Buf as _, BytesMut};
use rumqttc::mqttbytes::Error as Malformed;
use rumqttc::mqttbytes::v4::Packet;
use thiserror::Error;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::time::timeout;

use super::broker::Stream;

/// The longest packet that is read, in bytes. Messages of meters have some thousand.
pub(super) const LARGEST: usize = 65_536;
/// How much is read at once, at least.
const READ_BYTES: usize = 8_192;
/// How long the broker may leave unread what is sent to it.
const SEND_WITHIN: Duration = Duration::from_secs(5);
/// The packet type of messages, in the upper half of the first byte.
const PUBLISH: u8 = 3;

/// Why a connection ended.
#[derive(Debug, Error)]
pub(super) enum LinkError {
    /// The broker, or something between, closed it.
    #[error("the broker closed the connection")]
    Closed,
    /// The network failed.
    #[error("the connection broke")]
    Io(#[from] io::Error),
    /// The broker left unread what was sent.
    #[error("the broker does not read what is sent to it")]
    Stalled,
    /// What came is not MQTT.
    #[error("the broker sent what is not MQTT 3.1.1: {0}")]
    Malformed(Malformed),
}

/// What came from the broker.
#[derive(Debug, PartialEq)]
pub(super) enum Received {
    Packet(Packet),
    /// A message longer than [`LARGEST`], which was passed over. Its packet id is 0 where it wants no answer.
    TooLarge {
        topic: String,
        packet_id: u16,
    },
}

/// A connection.
pub(super) struct Link {
    stream: Box<dyn Stream>,
    frames: Frames,
    sent: BytesMut,
}

impl Link {
    pub(super) fn new(stream: Box<dyn Stream>) -> Self {
        Self {
            stream,
            frames: Frames::default(),
            sent: BytesMut::new(),
        }
    }

    /// The next packet. Where the caller stops waiting nothing is lost.
    pub(super) async fn receive(&mut self) -> Result<Received, LinkError> {
        loop {
            if let Some(received) = self.frames.next()? {
                return Ok(received);
            }
            self.frames.bytes.reserve(READ_BYTES);
            if self.stream.read_buf(&mut self.frames.bytes).await? == 0 {
                return Err(LinkError::Closed);
            }
        }
    }

    /// Sends a packet.
    pub(super) async fn send(&mut self, packet: &Packet) -> Result<(), LinkError> {
        self.sent.clear();
        packet
            .write(&mut self.sent, usize::MAX)
            .map_err(LinkError::Malformed)?;
        let sending = async {
            self.stream.write_all(&self.sent).await?;
            self.stream.flush().await
        };
        timeout(SEND_WITHIN, sending)
            .await
            .map_err(|_| LinkError::Stalled)??;
        Ok(())
    }
}

/// The bytes that came, cut into packets. They never are more than a packet of [`LARGEST`], a header and one read.
#[derive(Default)]
struct Frames {
    bytes: BytesMut,
    /// Bytes of a message that are passed over, not come yet.
    to_skip: usize,
}

impl Frames {
    fn next(&mut self) -> Result<Option<Received>, LinkError> {
        let skipped = self.to_skip.min(self.bytes.len());
        self.bytes.advance(skipped);
        self.to_skip -= skipped;
        if self.to_skip > 0 {
            return Ok(None);
        }
        match Packet::read(&mut self.bytes, LARGEST) {
            Ok(packet) => Ok(Some(Received::Packet(packet))),
            Err(Malformed::InsufficientBytes(_)) => Ok(None),
            Err(Malformed::PayloadSizeLimitExceeded(length)) => self.pass_over(length),
            Err(error) => Err(LinkError::Malformed(error)),
        }
    }

    /// The head of a message whose length, after the first byte and that of the length itself, is `length`.
    fn pass_over(&mut self, length: usize) -> Result<Option<Received>, LinkError> {
        let malformed = || LinkError::Malformed(Malformed::PayloadSizeLimitExceeded(length));
        let [first, rest @ ..] = &*self.bytes else {
            return Ok(None);
        };
        if first >> 4 != PUBLISH {
            return Err(malformed());
        }
        let quality = (first >> 1) & 3;
        // The last byte of the length has no upmost bit.
        let length_bytes = rest.iter().take_while(|byte| **byte >= 0x80).count() + 1;
        let Some([high, low, rest @ ..]) = rest.get(length_bytes..) else {
            return Ok(None);
        };
        let topic_bytes = usize::from(u16::from_be_bytes([*high, *low]));
        let id_bytes = if quality > 0 { 2 } else { 0 };
        if 2 + topic_bytes + id_bytes > length {
            return Err(malformed());
        }
        let Some((topic, rest)) = rest.split_at_checked(topic_bytes) else {
            return Ok(None);
        };
        let packet_id = match rest {
            _ if quality == 0 => 0,
            [high, low, ..] => u16::from_be_bytes([*high, *low]),
            _ => return Ok(None),
        };
        let topic = String::from_utf8_lossy(topic).into_owned();
        self.to_skip = 1 + length_bytes + length;
        Ok(Some(Received::TooLarge { topic, packet_id }))
    }
}

/// What a fuzzer calls.
#[cfg(any(test, fuzzing))]
pub(crate) mod fuzz {
    use super::{Frames, LARGEST};

    /// Bytes cut into packets are the same packets however they come, and are never more than a packet in memory.
    ///
    /// # Panics
    /// Where they are not.
    pub(crate) fn packets(bytes: &[u8]) {
        let read = |piece: usize| {
            let mut frames = Frames::default();
            let mut all = Vec::new();
            for bytes in bytes.chunks(piece) {
                frames.bytes.extend_from_slice(bytes);
                loop {
                    match frames.next() {
                        Ok(Some(received)) => all.push(format!("{received:?}")),
                        Ok(None) => break,
                        Err(error) => {
                            all.push(error.to_string());
                            return all;
                        }
                    }
                }
                assert!(frames.bytes.len() <= LARGEST + 5 + piece);
            }
            all
        };
        assert_eq!(read(1), read(bytes.len().max(1)));
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use rumqttc::mqttbytes::QoS;
    use rumqttc::mqttbytes::v4::{PubAck, Publish};

    use super::*;

    fn message(topic: &str, length: usize, packet_id: u16) -> Vec<u8> {
        let quality = if packet_id > 0 {
            QoS::AtLeastOnce
        } else {
            QoS::AtMostOnce
        };
        let mut publish = Publish::new(topic, quality, vec![b'7'; length]);
        publish.pkid = packet_id;
        let mut bytes = BytesMut::new();
        Packet::Publish(publish)
            .write(&mut bytes, usize::MAX)
            .unwrap();
        bytes.to_vec()
    }

    /// What is received of `bytes` that come `piece` at a time.
    fn received(bytes: &[u8], piece: usize) -> Vec<Received> {
        let mut frames = Frames::default();
        let mut all = Vec::new();
        for bytes in bytes.chunks(piece) {
            frames.bytes.extend_from_slice(bytes);
            while let Some(received) = frames.next().unwrap() {
                all.push(received);
            }
            assert!(frames.bytes.len() <= LARGEST + 5 + piece);
        }
        all
    }

    #[test]
    fn a_message_that_is_too_large_is_passed_over() {
        let mut bytes = message("camera/1", 300_000, 7);
        bytes.extend(message("camera/2", 3_000_000, 0));
        bytes.extend(message("plug/power", 3, 8));
        let too_large = |topic: &str, packet_id| Received::TooLarge {
            topic: topic.into(),
            packet_id,
        };
        for piece in [1, 1_000, 1 << 24] {
            let all = received(&bytes, piece);
            assert_eq!(all.len(), 3);
            assert_eq!(all[0], too_large("camera/1", 7));
            assert_eq!(all[1], too_large("camera/2", 0));
            let Received::Packet(Packet::Publish(publish)) = &all[2] else {
                panic!("{:?}", all[2]);
            };
            assert_eq!(
                (publish.topic.as_str(), &*publish.payload),
                ("plug/power", &b"777"[..])
            );
        }
    }

    #[test]
    fn what_is_not_mqtt_is_an_error() {
        for bytes in [
            // Not UTF-8; a topic longer than its message; no packet id; a huge one that is no message; a huge one with a
            // topic that is longer.
            &b"\x30\x04\x00\x02\xff\xff"[..],
            b"\x30\x04\x00\x09ab",
            b"\x32\x04\x00\x02ab",
            b"\x40\xff\xff\xff\x7f\x00\x00",
            b"\x32\x81\x80\x04\xff\xff",
        ] {
            let mut frames = Frames::default();
            frames.bytes.extend_from_slice(bytes);
            assert!(frames.next().is_err(), "{bytes:?}");
        }
    }

    #[test]
    fn packets_are_sent_and_received() {
        let (ours, theirs) = tokio::io::duplex(64);
        let runtime = tokio::runtime::Builder::new_current_thread()
            .enable_time()
            .build()
            .unwrap();
        runtime.block_on(async {
            let (mut ours, mut theirs) = (Link::new(Box::new(ours)), Link::new(Box::new(theirs)));
            let packet = Packet::PubAck(PubAck::new(5));
            ours.send(&packet).await.unwrap();
            assert_eq!(theirs.receive().await.unwrap(), Received::Packet(packet));
            drop(ours);
            assert!(matches!(theirs.receive().await, Err(LinkError::Closed)));
        });
    }

    proptest! {
        #[test]
        fn however_bytes_come_they_are_the_same_packets(
            bytes in proptest::collection::vec(prop_oneof![Just(0x30_u8), Just(0x32), Just(0), Just(2), any::<u8>()], 0..80),
        ) {
            fuzz::packets(&bytes);
        }

        #[test]
        fn messages_are_read_in_pieces_of_any_length(
            lengths in proptest::collection::vec(prop_oneof![0..200_usize, 65_500..66_000_usize, Just(200_000)], 1..5),
            piece in 1..100_000_usize,
        ) {
            let bytes: Vec<u8> = lengths.iter().flat_map(|&length| message("a/b", length, 3)).collect();
            prop_assert_eq!(received(&bytes, piece).len(), lengths.len());
        }
    }
}
