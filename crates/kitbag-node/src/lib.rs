//! The addon of the Node package `kitbag`: engines whose requests and reports are JSON, and the program itself.
//! The JavaScript around it (`index.js`) has the functions that users call.

mod engine;
mod program;
