//! What a program that embeds SSCG relies on.

mod configuration;
mod engine;
mod workspace;
