use std::collections::HashMap;

use axum::Router;
use axum::routing::post;

pub fn routes() -> Router {
    let mut cache: HashMap<&str, fn()> = HashMap::new();
    cache.get("/not-a-route");
    Router::new().route("/reload", post(reload))
}

async fn reload() {}

/// Not mounted.
pub fn lost() -> Router {
    Router::new().route("/lost", post(reload))
}
