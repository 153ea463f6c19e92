mod behaviour;
mod examples;
mod hard;
