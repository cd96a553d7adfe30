//! SSCG as a Model Context Protocol server.
//!
//! This room is still empty. What will live here is the server, as a library and as a program, with one tool by
//! default (`search_code`) and further toolsets for those who ask for them.
//!
//! *Invariant:* a thin consumer of the facade `sscg`: it translates requests and answers, and decides nothing about
//! them.
