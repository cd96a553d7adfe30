//! LanceDB storage for SSCG: one index for many machines.
//!
//! This room is still empty. What will live here is the LanceDB implementation of the store of `sscg-index`, in a
//! directory or in an object store, with many writers and any number of readers that keep no state.
//!
//! It is a crate of its own because LanceDB is a heavy dependency that needs `protoc` to build: the default build
//! does without it, and no other crate of the workspace may depend on it.
//!
//! *Invariant:* no type of LanceDB or Arrow leaves this crate.
