//! Which requests are admitted, and how many. This room knows no protocol and no page.
//!
//! - `state`: the state that the handlers of all rooms share
//! - `auth`, `token`: credentials and their permissions; `failed` counts wrong ones
//! - `peer`, `limits`: addresses of clients, and limits by address
//! - `hosts`, `sites`: the host names of the service, and requests made by pages of other sites;
//!   `own_key`: requests that need no known host name
//! - `resource`: resources with fixed methods and limits; `headers`: the headers of every answer
//! - `connections`, `connection`: the shares of clients; idle and stalled connections
//! - `price_turns`: uploads of prices, one at a time; `pace`: how much is read from a connection;
//!   `head`: faults of a request's head; `refusal_answer`: the answer to one
//! - `tls`: the certificate; `home_assistants`: the connections to those of accounts
//! - `access`: the access log; `refusals`: the refused requests that it lists; `log_once`: messages
//!   that are logged once, or once an hour

pub(crate) mod access;
pub(crate) mod auth;
mod connection;
pub(crate) mod connections;
pub(crate) mod failed;
mod head;
pub(crate) mod headers;
pub(crate) mod home_assistants;
pub(crate) mod hosts;
pub(crate) mod limits;
pub(crate) mod log_once;
pub(crate) mod own_key;
pub(crate) mod pace;
pub(crate) mod peer;
mod price_turns;
mod refusal_answer;
pub(crate) mod refusals;
pub(crate) mod resource;
pub(crate) mod sites;
pub(crate) mod state;
pub(crate) mod tls;
pub(crate) mod token;

pub(crate) use self::auth::Credentials;
pub(crate) use self::connections::Connections;
pub(crate) use self::failed::SignInTarget;
pub(crate) use self::home_assistants::HomeAssistantsOf;
pub(crate) use self::log_once::{HourlyLog, LogOnce};
pub(crate) use self::pace::Paced;
pub(crate) use self::price_turns::{PriceSender, PriceUpload};
pub(crate) use self::state::AppState;
pub(crate) use self::tls::Certificate;
pub(crate) use self::token::Token;
