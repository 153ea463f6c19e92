//! Custom and built-in providers, through the engine.

mod built_in;
mod faults;
mod haste;
mod history_secrets;
mod inline_edit;
mod many;
mod orchestrate;
mod own;
mod repository;
mod rules;
