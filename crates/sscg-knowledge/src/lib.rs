//! The service level on top of the code graph.
//!
//! This room is still empty. What will live here are services, contracts, endpoints, events and domain entities,
//! found in the code graph of `sscg-graph`, and how they depend on each other.
//!
//! *Invariant:* everything said here about a service leads back to symbols of the code graph.
