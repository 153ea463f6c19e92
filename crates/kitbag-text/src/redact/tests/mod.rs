mod behavior;
mod chosen;
mod examples;
mod families;
mod hard;
mod places;
