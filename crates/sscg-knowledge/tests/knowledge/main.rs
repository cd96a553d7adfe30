//! The service graph, on the project in `fixtures/services`.

mod inputs;
