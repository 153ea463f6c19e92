//! Documents generated from the table: the reference, the JSON schema, and the starter file of
//! `kitbag config init`.

mod init;
mod reference;
mod schema;

pub use init::config_init;
pub use reference::config_reference;
pub use schema::config_schema;
