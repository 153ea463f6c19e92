//! The executable of the Node package: runs the program that is in the addon beside it. This way the package has
//! the program, its parser processes and the library in one file.

use libloading::{Library, Symbol};
use std::env;
use std::ffi::OsString;
use std::path::PathBuf;
use std::process::ExitCode;

/// Also serves the parsers in the addon, as in the program.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

/// Signature of `kitbag_main` in the addon.
type Main = unsafe extern "C" fn(*const u8, usize) -> u8;

#[expect(clippy::print_stderr, reason = "there is no other place for the error of an executable")]
fn main() -> ExitCode {
    match run() {
        Ok(status) => status.into(),
        Err(error) => {
            eprintln!("error: cannot load the addon of kitbag: {error}");
            ExitCode::FAILURE
        }
    }
}

#[allow(unsafe_code, reason = "the addon is loaded at run time")]
fn run() -> Result<u8, Box<dyn std::error::Error>> {
    let arguments: Vec<OsString> = env::args_os().collect();
    let bytes: Vec<&[u8]> = arguments.iter().map(|it| it.as_encoded_bytes()).collect();
    let bytes = bytes.join(&0);
    let addon = addon()?;
    // SAFETY: loading the addon only registers its functions.
    let library = unsafe { Library::new(&addon) }?;
    // SAFETY: the addon of the same build has this function, with this signature.
    let main: Symbol<'_, Main> = unsafe { library.get(b"kitbag_main") }?;
    // SAFETY: `bytes` lives until the call returns.
    let status = unsafe { main(bytes.as_ptr(), bytes.len()) };
    // Threads of the program may still run in the library.
    std::mem::forget(library);
    Ok(status)
}

/// Returns the path of the addon, which is beside this file.
fn addon() -> std::io::Result<PathBuf> {
    let this = env::current_exe()?.canonicalize()?;
    Ok(this.with_file_name("kitbag.node"))
}
