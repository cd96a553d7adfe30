//! The origin of `get` is unknown here: it can come from either of two packages, and none of them is Rocket.

use actix_web::*;
use futures_util::*;

#[get("/unknown")]
async fn unknown() -> impl Responder {
    HttpResponse::Ok()
}
