mod behavior;
mod examples;
mod hard;
