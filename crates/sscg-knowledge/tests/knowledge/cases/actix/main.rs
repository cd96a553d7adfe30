mod globs;
mod items;

use actix_web::{App, HttpResponse, HttpServer, Responder, get, post, web};

#[get("/health")]
async fn health() -> impl Responder {
    HttpResponse::Ok()
}

#[post("/echo/{word}")]
async fn echo(word: web::Path<String>) -> impl Responder {
    word.into_inner()
}

/// Not registered.
#[get("/forgotten")]
async fn forgotten() -> impl Responder {
    HttpResponse::Ok()
}

async fn list() -> impl Responder {
    HttpResponse::Ok()
}

async fn create() -> impl Responder {
    HttpResponse::Ok()
}

#[actix_web::main]
async fn main() -> std::io::Result<()> {
    HttpServer::new(|| {
        App::new()
            .service(health)
            .service(web::scope("/v1").service(echo).configure(items::configure))
            .service(web::resource("/users").route(web::get().to(list)).route(web::post().to(create)))
            .route("/ping", web::head().to(|| async { "pong" }))
    })
    .bind(("0.0.0.0", 80))?
    .run()
    .await
}
