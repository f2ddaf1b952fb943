//! A link to a server on loopback that can be cut, as by a cable, and can fall silent.

use std::io::{Read as _, Write as _};
use std::net::{Shutdown, SocketAddr, TcpListener, TcpStream};
use std::sync::atomic::{AtomicU8, Ordering};
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::Duration;

const JOINED: u8 = 0;
const CUT: u8 = 1;
const HELD: u8 = 2;

/// The link, as long as the test lives.
pub(super) struct CutLink {
    pub(super) url: String,
    state: Arc<AtomicU8>,
    ends: Arc<Mutex<Vec<TcpStream>>>,
}

impl CutLink {
    /// A link to `http://ADDRESS`.
    pub(super) fn to(url: &str) -> Self {
        let target: SocketAddr = url.trim_start_matches("http://").parse().unwrap();
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let url = format!("http://{}", listener.local_addr().unwrap());
        let (state, ends) = (Arc::<AtomicU8>::default(), Arc::<Mutex<Vec<_>>>::default());
        let of_all = (Arc::clone(&state), Arc::clone(&ends));
        thread::spawn(move || {
            for near in listener.incoming() {
                let near = near.unwrap();
                if of_all.0.load(Ordering::Relaxed) == JOINED
                    && let Ok(far) = TcpStream::connect(target)
                {
                    carry(&near, &far, &of_all.0);
                    carry(&far, &near, &of_all.0);
                    of_all.1.lock().unwrap().extend([near, far]);
                }
            }
        });
        Self { url, state, ends }
    }

    /// Ends all connections, and takes none.
    pub(super) fn cut(&self) {
        self.state.store(CUT, Ordering::Relaxed);
        for end in self.ends.lock().unwrap().drain(..) {
            // The other side may have ended it.
            let _ = end.shutdown(Shutdown::Both);
        }
    }

    /// Carries nothing more, and ends nothing.
    pub(super) fn hold(&self) {
        self.state.store(HELD, Ordering::Relaxed);
    }

    pub(super) fn join(&self) {
        self.state.store(JOINED, Ordering::Relaxed);
    }
}

fn carry(from: &TcpStream, to: &TcpStream, state: &Arc<AtomicU8>) {
    let (mut from, mut to) = (from.try_clone().unwrap(), to.try_clone().unwrap());
    let state = Arc::clone(state);
    thread::spawn(move || {
        let mut bytes = [0; 16 << 10];
        while let Ok(count) = from.read(&mut bytes)
            && count > 0
        {
            while state.load(Ordering::Relaxed) == HELD {
                thread::sleep(Duration::from_millis(50));
            }
            if to.write_all(&bytes[..count]).is_err() {
                break;
            }
        }
        let _ = to.shutdown(Shutdown::Both);
    });
}
