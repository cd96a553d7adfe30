#[macro_use]
extern crate rocket;

mod books;

#[get("/")]
fn index() -> &'static str {
    "hello"
}

#[get("/files/<path..>")]
fn files(path: std::path::PathBuf) -> String {
    path.display().to_string()
}

#[launch]
fn launch() -> _ {
    rocket::build().mount("/", routes![index, files]).mount("/books", books::routes())
}
