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

/// A variable of the same name as the module that makes it.
async fn verified(header: &str) -> Option<String> {
    let token = token::Token::parse(header)?;
    let token = token.verify()?;
    token.get("name")
}
