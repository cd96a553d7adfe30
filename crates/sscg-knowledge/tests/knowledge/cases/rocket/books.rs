use rocket::{Route, delete, post, routes};

#[post("/", data = "<book>")]
fn add(book: String) -> String {
    book
}

#[delete("/<id>")]
fn remove(id: u32) {}

pub fn routes() -> Vec<Route> {
    routes![add, remove]
}
