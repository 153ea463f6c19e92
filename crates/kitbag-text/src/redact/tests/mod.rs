mod behavior;
mod examples;
mod families;
mod hard;
