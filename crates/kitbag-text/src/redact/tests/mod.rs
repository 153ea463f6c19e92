mod behavior;
mod chosen;
mod directives;
mod examples;
mod families;
mod hard;
mod places;
