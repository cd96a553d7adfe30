use actix_web::{HttpResponse, Responder, web};

pub fn configure(cfg: &mut web::ServiceConfig) {
    cfg.service(
        web::scope("/items")
            .route("", web::get().to(list))
            .route("/{id}", web::delete().to(remove)),
    );
}

async fn list() -> impl Responder {
    HttpResponse::Ok()
}

async fn remove() -> impl Responder {
    HttpResponse::Ok()
}
