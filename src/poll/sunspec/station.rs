//! The connection to an address, kept from poll to poll, because some devices accept only one at a
//! time, and are slow to accept another.

use std::collections::BTreeMap;
use std::time::Duration;

use tokio::net::TcpStream;
use tokio::time::timeout;

use super::chain;
use super::model::{SunspecModel, SunspecPart};
use crate::poll::error::PollError;
use crate::poll::host::PolledAnswer;
use crate::poll::modbus::{ModbusLine, TIMEOUT};
use crate::poll::settings::{DeviceAddress, PollSettings};

/// The maximum time of a poll. The first one reads each model of a device, and some devices answer
/// once a second.
const POLL_WITHIN: Duration = Duration::from_mins(2);

/// The connection to an address, while there is one.
#[derive(Default)]
pub(in crate::poll) struct SunspecStation {
    /// The connection, with the models of each unit that was polled through it.
    open: Option<OpenLine>,
}

struct OpenLine {
    line: ModbusLine<TcpStream>,
    models: BTreeMap<u8, Vec<SunspecModel>>,
}

/// The length of the answers, and their values.
type StationAnswer = Result<PolledAnswer, PollError>;

impl SunspecStation {
    /// Reads a part of this device. After an error the connection is closed.
    pub(in crate::poll) async fn poll(
        &mut self,
        device: &PollSettings,
        part: SunspecPart,
    ) -> StationAnswer {
        let polled = timeout(POLL_WITHIN, self.poll_now(device, part)).await;
        polled.unwrap_or(Err(PollError::NoAnswer(POLL_WITHIN)))
    }

    async fn poll_now(&mut self, device: &PollSettings, part: SunspecPart) -> StationAnswer {
        // Taken out, so that it is closed on any error, and when this is dropped.
        if let Some(mut kept) = self.open.take() {
            match kept.shown(device, part).await {
                // The other end closed it since the last poll.
                Err(PollError::Unreachable(_)) => {}
                Ok(shown) => {
                    self.open = Some(kept);
                    return Ok(shown);
                }
                Err(error) => return Err(error),
            }
        }
        let mut fresh = OpenLine::connect(&device.address).await?;
        let shown = fresh.shown(device, part).await?;
        self.open = Some(fresh);
        Ok(shown)
    }
}

impl OpenLine {
    async fn connect(address: &DeviceAddress) -> Result<Self, PollError> {
        let connecting = TcpStream::connect((address.host.as_str(), address.port));
        let stream = timeout(TIMEOUT, connecting).await;
        let stream = stream.map_err(|_| PollError::NoAnswer(TIMEOUT))?;
        let stream = stream.and_then(|stream| stream.set_nodelay(true).map(|()| stream));
        let stream = stream.map_err(|error| PollError::Unreachable(error.to_string()))?;
        Ok(Self {
            line: ModbusLine::new(stream),
            models: BTreeMap::new(),
        })
    }

    async fn shown(&mut self, device: &PollSettings, part: SunspecPart) -> StationAnswer {
        let unit = device.unit;
        // Once per connection: a device that changes closes it.
        let models = match self.models.get(&unit) {
            Some(models) => models.clone(),
            None => chain::models(&mut self.line, unit).await?,
        };
        let own = chain::of_part(&models, part);
        if own.is_empty() {
            return Err(PollError::NoModel);
        }
        self.models.insert(unit, models);
        let (mut bytes, mut readings) = (0, Vec::new());
        for (number, model) in own.iter().enumerate() {
            let registers = self.line.read(unit, model.address, model.count).await?;
            bytes += 2 * registers.len();
            let channel = model.channel(number, &registers);
            readings.extend(channel.iter().flat_map(|it| it.readings(&device.sensor)));
        }
        Ok(PolledAnswer {
            bytes,
            readings,
            // Registers mark missing values, which are not errors.
            dropped: 0,
        })
    }
}
