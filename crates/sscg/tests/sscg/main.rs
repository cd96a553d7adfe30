//! What a program that embeds SSCG relies on.

mod engine;
mod workspace;
