//! Custom and built-in providers, through the engine.

mod built_in;
mod custom;
mod deadlines;
mod faults;
mod history_secrets;
mod inline_edit;
mod many;
mod orchestrate;
mod repository;
mod rules;
