mod admin;
mod users;

use axum::routing::{MethodFilter, any, delete, get, on};
use axum::{Router, routing};

async fn index() {}
async fn echo() {}
async fn purge() {}

#[tokio::main]
async fn main() {
    const BASE: &str = "/api";
    let mut app = Router::new().route("/", get(index)).route("/echo", any(echo));
    if std::env::var("ADMIN").is_ok() {
        app = app.nest("/admin", admin::routes());
    }
    let app = users::add(app);
    let api = Router::new()
        .route("/status", routing::get(|| async { "ok" }))
        .route("/cache/{*key}", delete(purge))
        .route("/probe", on(MethodFilter::HEAD, index));
    let app = app.nest(BASE, api.clone()).nest("/v2", api);
    let listener = tokio::net::TcpListener::bind("0.0.0.0:80").await.unwrap();
    axum::serve(listener, app.into_make_service()).await.unwrap();
}
