//! A proxy that delays, cuts and damages what goes through it.

use std::io::{Read, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

/// What the proxy does: a delay for each piece of data, and how many pieces lie between others.
#[derive(Clone, Copy)]
pub struct Toxins {
    pub delay_ms: u64,
    pub cut_one_in: u64,
    pub damage_one_in: u64,
}

/// Starts a proxy before `target`, and returns its address.
pub fn start(target: &str, toxins: Toxins) -> String {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap().to_string();
    let (target, pieces) = (target.to_owned(), Arc::new(AtomicU64::new(0)));
    std::thread::spawn(move || {
        for client in listener.incoming().flatten() {
            let Ok(server) = TcpStream::connect(&target) else { continue };
            let pair = || (client.try_clone().unwrap(), server.try_clone().unwrap());
            let ((from_client, to_server), (to_client, from_server)) = (pair(), pair());
            let (up, down) = (Arc::clone(&pieces), Arc::clone(&pieces));
            std::thread::spawn(move || forward(from_client, to_server, toxins, &up));
            std::thread::spawn(move || forward(from_server, to_client, toxins, &down));
        }
    });
    address
}

fn forward(mut from: TcpStream, mut to: TcpStream, toxins: Toxins, pieces: &AtomicU64) {
    let mut buffer = [0; 16 << 10];
    while let Ok(length @ 1..) = from.read(&mut buffer) {
        let piece = pieces.fetch_add(1, Ordering::Relaxed) + 1;
        std::thread::sleep(Duration::from_millis(toxins.delay_ms));
        if piece.is_multiple_of(toxins.cut_one_in) {
            break;
        }
        if piece.is_multiple_of(toxins.damage_one_in) {
            // Near the end, where the body is.
            buffer[length - 1 - length / 8] ^= 0x10;
        }
        if to.write_all(&buffer[..length]).is_err() {
            break;
        }
    }
    let _ = from.shutdown(std::net::Shutdown::Both);
    let _ = to.shutdown(std::net::Shutdown::Both);
}
