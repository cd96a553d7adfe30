use axum::Router;
use axum::routing::get;

pub fn add(router: Router) -> Router {
    router.route("/users/:id", get(show).put(Users::replace))
}

async fn show() {}

struct Users;

impl Users {
    async fn replace() {}
}
