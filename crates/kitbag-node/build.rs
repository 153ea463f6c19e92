//! Sets the options of the linker for an addon.

fn main() {
    napi_build::setup();
}
