//! Packets to and from the broker.
//!
//! Format: MQTT 3.1.1, which every broker speaks, with rumqttc's packets. Its event loop is not
//! used: it closes the connection when a message is too large, and the broker then sends that
//! message again and again. Here such a message is skipped.

use std::time::Duration;

use bytes::{Buf as _, BytesMut};
use rumqttc::mqttbytes::Error as Malformed;
use rumqttc::mqttbytes::v4::Packet;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::time::timeout;

use super::broker::BrokerStream;
use super::error::ClientError;

/// The longest packet read, in bytes. Messages of meters have a few thousand.
const LARGEST: usize = 65_536;
/// The least free space for a read.
const READ_BYTES: usize = 8_192;
/// The time within which the broker must read a packet.
const SEND_WITHIN: Duration = Duration::from_secs(5);
/// The packet type of messages, in the upper half of the first byte.
const PUBLISH: u8 = 3;
/// The packet id of the subscriptions; publications have higher ones.
pub(super) const SUBSCRIBE_ID: u16 = 1;

/// An event on the connection.
#[derive(Debug, PartialEq)]
pub(super) enum LinkEvent {
    Packet(Packet),
    /// A message longer than [`LARGEST`], which was skipped. Its packet id is 0 if it expects no
    /// answer.
    TooLarge {
        topic: String,
        packet_id: u16,
        /// Its length.
        bytes: usize,
    },
}

/// A connection to the broker.
pub(super) struct Link {
    stream: Box<dyn BrokerStream>,
    packets: PacketBuffer,
    sent: BytesMut,
}

impl Link {
    pub(super) fn new(stream: Box<dyn BrokerStream>) -> Self {
        Self {
            stream,
            packets: PacketBuffer::default(),
            sent: BytesMut::new(),
        }
    }

    /// Returns the next packet. Safe to cancel.
    pub(super) async fn receive(&mut self) -> Result<LinkEvent, ClientError> {
        loop {
            if let Some(received) = self.packets.next()? {
                return Ok(received);
            }
            // Without free space a read returns 0, which would look like the end. A cancelled read
            // loses no bytes.
            self.packets.bytes.reserve(READ_BYTES);
            if self.stream.read_buf(&mut self.packets.bytes).await? == 0 {
                return Err(ClientError::Closed);
            }
        }
    }

    /// Sends a packet.
    pub(super) async fn send(&mut self, packet: &Packet) -> Result<(), ClientError> {
        self.sent.clear();
        packet
            .write(&mut self.sent, usize::MAX)
            .map_err(ClientError::Malformed)?;
        // Part of a packet would break the stream, so a caller that cancels this must end the
        // connection.
        let sending = async {
            self.stream.write_all(&self.sent).await?;
            self.stream.flush().await
        };
        timeout(SEND_WITHIN, sending)
            .await
            .map_err(|_| ClientError::Stalled)??;
        Ok(())
    }
}

/// Received bytes, split into packets: at most one packet of [`LARGEST`], a header and one read.
#[derive(Default)]
struct PacketBuffer {
    bytes: BytesMut,
    /// The number of bytes of a skipped message that have not arrived yet.
    to_skip: usize,
}

impl PacketBuffer {
    fn next(&mut self) -> Result<Option<LinkEvent>, ClientError> {
        let skipped = self.to_skip.min(self.bytes.len());
        self.bytes.advance(skipped);
        self.to_skip -= skipped;
        if self.to_skip > 0 {
            return Ok(None);
        }
        match Packet::read(&mut self.bytes, LARGEST) {
            Ok(packet) => Ok(Some(LinkEvent::Packet(packet))),
            Err(Malformed::InsufficientBytes(_)) => Ok(None),
            Err(Malformed::PayloadSizeLimitExceeded(length)) => self.skip(length),
            Err(error) => Err(ClientError::Malformed(error)),
        }
    }

    /// Begins to skip a message, once its topic and packet id have arrived. `length` is the number
    /// of bytes after the length field.
    fn skip(&mut self, length: usize) -> Result<Option<LinkEvent>, ClientError> {
        let malformed = || ClientError::Malformed(Malformed::PayloadSizeLimitExceeded(length));
        let [first, rest @ ..] = &*self.bytes else {
            return Ok(None);
        };
        if first >> 4 != PUBLISH {
            return Err(malformed());
        }
        // Bits 1 and 2 are the quality of service. At quality 0 there is no packet id.
        let quality = (first >> 1) & 3;
        // rumqttc has parsed this field already, so it has at most four bytes. Each byte except the
        // last has its highest bit set.
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
        // From the first byte of the packet, because none of it has left the buffer yet.
        self.to_skip = 1 + length_bytes + length;
        Ok(Some(LinkEvent::TooLarge {
            topic,
            packet_id,
            bytes: length,
        }))
    }
}

/// Checks that bytes give the same packets however they are split, and that at most one packet is
/// held in memory.
///
/// # Panics
/// If a check fails.
#[cfg(any(test, fuzzing))]
pub fn fuzz_packets(bytes: &[u8]) {
    let read = |piece: usize| {
        let mut packets = PacketBuffer::default();
        let mut all = Vec::new();
        for bytes in bytes.chunks(piece) {
            packets.bytes.extend_from_slice(bytes);
            loop {
                match packets.next() {
                    Ok(Some(received)) => all.push(format!("{received:?}")),
                    Ok(None) => break,
                    Err(error) => {
                        all.push(error.to_string());
                        return all;
                    }
                }
            }
            assert!(packets.bytes.len() <= LARGEST + 5 + piece);
        }
        all
    };
    assert_eq!(read(1), read(bytes.len().max(1)));
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

    /// The packets received when `bytes` arrive `piece` at a time.
    fn received(bytes: &[u8], piece: usize) -> Vec<LinkEvent> {
        let mut packets = PacketBuffer::default();
        let mut all = Vec::new();
        for bytes in bytes.chunks(piece) {
            packets.bytes.extend_from_slice(bytes);
            while let Some(received) = packets.next().unwrap() {
                all.push(received);
            }
            assert!(packets.bytes.len() <= LARGEST + 5 + piece);
        }
        all
    }

    #[test]
    fn a_message_that_is_too_large_is_skipped() {
        let mut bytes = message("camera/1", 300_000, 7);
        bytes.extend(message("camera/2", 3_000_000, 0));
        bytes.extend(message("plug/power", 3, 8));
        let is_too_large = |event: &LinkEvent, its: &str, id, length| {
            matches!(event, LinkEvent::TooLarge { topic, packet_id, bytes }
                if topic == its && *packet_id == id && (length..length + 20).contains(bytes))
        };
        for piece in [1, 1_000, 1 << 24] {
            let all = received(&bytes, piece);
            assert_eq!(all.len(), 3);
            assert!(is_too_large(&all[0], "camera/1", 7, 300_000));
            assert!(is_too_large(&all[1], "camera/2", 0, 3_000_000));
            let LinkEvent::Packet(Packet::Publish(publish)) = &all[2] else {
                panic!("{:?}", all[2]);
            };
            assert_eq!(
                (publish.topic.as_str(), &*publish.payload),
                ("plug/power", &b"777"[..])
            );
        }
    }

    #[test]
    fn malformed_packets_are_an_error() {
        for bytes in [
            // Not UTF-8; a topic longer than its message; no packet id; a huge packet that is not a
            // message; a huge message with a longer topic.
            &b"\x30\x04\x00\x02\xff\xff"[..],
            b"\x30\x04\x00\x09ab",
            b"\x32\x04\x00\x02ab",
            b"\x40\xff\xff\xff\x7f\x00\x00",
            b"\x32\x81\x80\x04\xff\xff",
        ] {
            let mut packets = PacketBuffer::default();
            packets.bytes.extend_from_slice(bytes);
            assert!(packets.next().is_err(), "{bytes:?}");
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
            assert_eq!(theirs.receive().await.unwrap(), LinkEvent::Packet(packet));
            drop(ours);
            assert!(matches!(theirs.receive().await, Err(ClientError::Closed)));
        });
    }

    proptest! {
        #[test]
        fn packets_do_not_depend_on_how_bytes_arrive(
            bytes in proptest::collection::vec(prop_oneof![Just(0x30_u8), Just(0x32), Just(0), Just(2), any::<u8>()], 0..80),
        ) {
            fuzz_packets(&bytes);
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
