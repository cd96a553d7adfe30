//! Checks of the configuration and of the models in it.

use std::path::Path;

use sscg::config::project_file;
use sscg::embed::Input;
use sscg::{Config, Error, Layers};

use super::Check;
use crate::configuration::users_file;
use crate::{model, rerank};

/// Checks the files that were read.
pub(crate) fn check_files(root: &Path, layers: &Result<Layers, Error>) -> Vec<Check> {
    let about = "configuration";
    let users = match users_file() {
        Some(file) if file.exists() => format!("yours: {}", file.display()),
        Some(file) => format!("yours: none at {}", file.display()),
        None => "yours: none is read".to_owned(),
    };
    let projects = match project_file(root) {
        Some(file) => format!("the project's: {}", file.display()),
        None => "the project's: none".to_owned(),
    };
    let mut checks = vec![Check::ok(about, users), Check::ok(about, projects)];
    match layers {
        Ok(layers) => {
            let hint = "`sscg config show` says what counts";
            checks.extend(layers.warnings().iter().map(|warning| Check::warn(about, warning, hint)));
        }
        Err(error) => checks.push(Check::error(about, error)),
    }
    checks
}

/// Checks that the configured models answer.
pub(crate) fn check_models(config: &Config) -> Vec<Check> {
    let model = (!config.model.name.is_empty()).then(|| {
        let answer = model::open_named(&config.model.name).and_then(|model| {
            let vectors = model.embed(&["how are retries scheduled"], Input::Query);
            vectors.map_err(|error| unanswered(&config.model.name, &error, "--model"))?;
            Ok(format!("{} answers, {} dimensions", model.model_id(), model.dimension()))
        });
        checked("model", answer)
    });
    let reranker = (!config.rerank.name.is_empty()).then(|| {
        let answer = rerank::open(&config.rerank).and_then(|reranker| {
            let reranker = reranker.expect("one is named");
            let scores = reranker.rerank("how are retries scheduled", &["fn schedule_retry()"]);
            scores.map_err(|error| unanswered(&config.rerank.name, &error, "--rerank"))?;
            Ok(format!("{} answers", reranker.model_id()))
        });
        checked("reranker", answer)
    });
    model.into_iter().chain(reranker).collect()
}

fn unanswered(name: &str, error: &sscg::embed::EmbedError, flag: &str) -> Error {
    Error::project(
        format!("{name} does not answer: {error}"),
        format!("check the provider, or name another {flag}"),
    )
}

fn checked(about: &'static str, answer: Result<String, Error>) -> Check {
    answer.map_or_else(|error| Check::error(about, &error), |message| Check::ok(about, message))
}
