//! Libraries that handle requests, and the calls that make their routers.

use sscg_core::wiring::Call;

/// Library that handles requests.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Framework {
    /// axum.
    Axum,
    /// actix-web.
    Actix,
    /// Rocket.
    Rocket,
    /// Express and libraries with the same API.
    Express,
    /// Koa with its router.
    Koa,
    /// Hono.
    Hono,
    /// Fastify.
    Fastify,
    /// NestJS: only the application; controllers are read from their decorators.
    Nest,
    /// FastAPI.
    FastApi,
    /// Starlette, the base of FastAPI.
    Starlette,
    /// Flask, and Quart, which has the same API.
    Flask,
    /// Server of aiohttp.
    Aiohttp,
    /// Routers of Django REST framework.
    Rest,
    /// Routers of Go whose routes have their handler after the path: `net/http`, chi, gorilla/mux, Echo.
    Go,
    /// Routers of Go whose routes have their handler at the end: Gin, Fiber.
    Gin,
    /// Minimal APIs of ASP.NET Core; controllers are read from their attributes.
    AspNet,
}

impl Framework {
    /// True if this call of a method on a router returns the router.
    pub(super) fn is_returned_by(self, call: &Call) -> bool {
        match self {
            Self::Axum | Self::Actix | Self::Rocket => true,
            Self::Express | Self::Koa | Self::Hono | Self::Fastify => !matches!(
                call.callee.last_name(),
                Some("close" | "handle" | "inject" | "listen" | "ready" | "request")
            ),
            Self::Go | Self::Gin => call.callee.last_name().is_some_and(|name| RETURNING.contains(&name)),
            Self::AspNet => call.callee.last_name().is_some_and(|name| !name.starts_with("Map")),
            Self::Nest | Self::FastApi | Self::Starlette | Self::Flask | Self::Aiohttp | Self::Rest => false,
        }
    }
}

/// Methods of Go that return their router, or a route of gorilla/mux that is still being described.
const RETURNING: &[&str] = &[
    "Headers",
    "Host",
    "Methods",
    "Name",
    "NewRoute",
    "Path",
    "PathPrefix",
    "Queries",
    "Schemes",
    "SkipClean",
    "StrictSlash",
    "UseEncodedPath",
    "With",
];

/// Position of a router's own prefix in the call that makes it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Prefix {
    /// No prefix.
    None,
    /// First argument.
    First,
    /// Argument of this name, or the field of this name in the first argument.
    Named(&'static str),
}

/// Call that makes a router.
#[derive(Clone, Copy, Debug)]
pub(super) struct Maker {
    /// Dotted name of the callee.
    pub(super) callee: &'static str,
    /// Framework of the router.
    pub(super) framework: Framework,
    /// True if the router may serve by itself.
    pub(super) is_app: bool,
    /// Position of the router's own prefix.
    pub(super) prefix: Prefix,
}

const fn app(callee: &'static str, framework: Framework) -> Maker {
    Maker { callee, framework, is_app: true, prefix: Prefix::None }
}

const fn router(callee: &'static str, framework: Framework, prefix: Prefix) -> Maker {
    Maker { callee, framework, is_app: false, prefix }
}

/// All calls that make a router.
const MAKERS: &[Maker] = &[
    router("axum.Router.new", Framework::Axum, Prefix::None),
    app("actix_web.App.new", Framework::Actix),
    router("actix_web.web.scope", Framework::Actix, Prefix::First),
    router("actix_web.web.resource", Framework::Actix, Prefix::First),
    router("actix_web.Scope.new", Framework::Actix, Prefix::First),
    router("actix_web.Resource.new", Framework::Actix, Prefix::First),
    app("rocket.build", Framework::Rocket),
    app("rocket.custom", Framework::Rocket),
    app("rocket.ignite", Framework::Rocket),
    router("rocket.routes", Framework::Rocket, Prefix::None),
    // Used if a crate imports all macros of Rocket.
    router("routes!", Framework::Rocket, Prefix::None),
    app("express", Framework::Express),
    router("express.Router", Framework::Express, Prefix::None),
    router("express-promise-router", Framework::Express, Prefix::None),
    app("koa", Framework::Koa),
    router("koa-router", Framework::Koa, Prefix::Named("prefix")),
    router("@koa/router", Framework::Koa, Prefix::Named("prefix")),
    router("@koa/router.Router", Framework::Koa, Prefix::Named("prefix")),
    app("hono.Hono", Framework::Hono),
    app("hono/quick.Hono", Framework::Hono),
    app("hono/tiny.Hono", Framework::Hono),
    app("@hono/zod-openapi.OpenAPIHono", Framework::Hono),
    app("fastify", Framework::Fastify),
    app("fastify.fastify", Framework::Fastify),
    app("@nestjs/core.NestFactory.create", Framework::Nest),
    app("fastapi.FastAPI", Framework::FastApi),
    app("fastapi.applications.FastAPI", Framework::FastApi),
    router("fastapi.APIRouter", Framework::FastApi, Prefix::Named("prefix")),
    router("fastapi.routing.APIRouter", Framework::FastApi, Prefix::Named("prefix")),
    app("starlette.applications.Starlette", Framework::Starlette),
    router("starlette.routing.Router", Framework::Starlette, Prefix::None),
    router("starlette.routing.Mount", Framework::Starlette, Prefix::First),
    app("flask.Flask", Framework::Flask),
    router("flask.Blueprint", Framework::Flask, Prefix::Named("url_prefix")),
    app("quart.Quart", Framework::Flask),
    router("quart.Blueprint", Framework::Flask, Prefix::Named("url_prefix")),
    app("aiohttp.web.Application", Framework::Aiohttp),
    router("aiohttp.web.RouteTableDef", Framework::Aiohttp, Prefix::None),
    router("rest_framework.routers.DefaultRouter", Framework::Rest, Prefix::None),
    router("rest_framework.routers.SimpleRouter", Framework::Rest, Prefix::None),
    router("rest_framework_nested.routers.DefaultRouter", Framework::Rest, Prefix::None),
    router("rest_framework_nested.routers.NestedDefaultRouter", Framework::Rest, Prefix::None),
    router("rest_framework_nested.routers.NestedSimpleRouter", Framework::Rest, Prefix::None),
    router("rest_framework_nested.routers.SimpleRouter", Framework::Rest, Prefix::None),
    app("github.com/gin-gonic/gin.Default", Framework::Gin),
    app("github.com/gin-gonic/gin.New", Framework::Gin),
    app("github.com/go-chi/chi.NewMux", Framework::Go),
    app("github.com/go-chi/chi.NewRouter", Framework::Go),
    app("github.com/gofiber/fiber.New", Framework::Gin),
    app("github.com/gorilla/mux.NewRouter", Framework::Go),
    app("github.com/julienschmidt/httprouter.New", Framework::Go),
    app("github.com/labstack/echo.New", Framework::Go),
    app("net/http.NewServeMux", Framework::Go),
    app("WebApplication.Create", Framework::AspNet),
    app("WebApplication.CreateBuilder.Build", Framework::AspNet),
    app("WebApplication.CreateSlimBuilder.Build", Framework::AspNet),
];

/// Types of the parameters that routers are passed as.
const TYPES: &[(&str, Framework)] = &[
    ("axum.Router", Framework::Axum),
    ("actix_web.web.ServiceConfig", Framework::Actix),
    ("rocket.Rocket", Framework::Rocket),
    ("express.Application", Framework::Express),
    ("express.Express", Framework::Express),
    ("express.IRouter", Framework::Express),
    ("express.Router", Framework::Express),
    ("hono.Hono", Framework::Hono),
    ("fastify.FastifyInstance", Framework::Fastify),
    ("@nestjs/common.INestApplication", Framework::Nest),
    ("fastapi.APIRouter", Framework::FastApi),
    ("fastapi.FastAPI", Framework::FastApi),
    ("flask.Blueprint", Framework::Flask),
    ("flask.Flask", Framework::Flask),
    ("aiohttp.web.Application", Framework::Aiohttp),
    ("github.com/gin-gonic/gin.Engine", Framework::Gin),
    ("github.com/gin-gonic/gin.IRouter", Framework::Gin),
    ("github.com/gin-gonic/gin.IRoutes", Framework::Gin),
    ("github.com/gin-gonic/gin.RouterGroup", Framework::Gin),
    ("github.com/go-chi/chi.Mux", Framework::Go),
    ("github.com/go-chi/chi.Router", Framework::Go),
    ("github.com/gofiber/fiber.App", Framework::Gin),
    ("github.com/gofiber/fiber.Router", Framework::Gin),
    ("github.com/gorilla/mux.Router", Framework::Go),
    ("github.com/julienschmidt/httprouter.Router", Framework::Go),
    ("github.com/labstack/echo.Echo", Framework::Go),
    ("github.com/labstack/echo.Group", Framework::Go),
    ("net/http.ServeMux", Framework::Go),
    ("IEndpointRouteBuilder", Framework::AspNet),
    ("RouteGroupBuilder", Framework::AspNet),
    ("WebApplication", Framework::AspNet),
];

/// Returns the maker with this dotted name of an external callee.
pub(super) fn maker(callee: &str) -> Option<&'static Maker> {
    let callee = callee.strip_suffix(".default").unwrap_or(callee);
    MAKERS.iter().find(|maker| maker.callee == callee)
}

/// Returns the framework of a router parameter with this external type.
pub(super) fn of_type(name: &str) -> Option<Framework> {
    TYPES.iter().find(|(ty, _)| *ty == name).map(|(_, framework)| *framework)
}

/// Returns the HTTP method in uppercase that the name of a function or decorator stands for; `ANY` for names of all
/// methods.
pub(super) fn method(name: &str) -> Option<&'static str> {
    Some(match name {
        "get" => "GET",
        "post" => "POST",
        "put" => "PUT",
        "patch" => "PATCH",
        "delete" | "del" => "DELETE",
        "head" => "HEAD",
        "options" => "OPTIONS",
        "any" | "all" => "ANY",
        _ => return None,
    })
}

/// Packages that provide routers.
pub(super) const LIBRARIES: &[&str] = &[
    "@hono/zod-openapi",
    "@koa/router",
    // Other items of the package are used in most files of an application.
    "@nestjs/common.Controller",
    "@nestjs/common.INestApplication",
    "@nestjs/core",
    "actix_web",
    "aiohttp",
    "axum",
    "express",
    "express-promise-router",
    "fastapi",
    "fastify",
    "flask",
    "github.com/gin-gonic/gin",
    "github.com/go-chi/chi",
    "github.com/gofiber/fiber",
    "github.com/gorilla/mux",
    "github.com/julienschmidt/httprouter",
    "github.com/labstack/echo",
    "hono",
    "io.micronaut.http",
    "jakarta.ws.rs",
    "javax.ws.rs",
    "koa",
    "koa-router",
    "net/http",
    "quart",
    "rest_framework.routers",
    "rest_framework_nested",
    "org.springframework.stereotype.Controller",
    "org.springframework.web.bind.annotation",
    "rocket",
    "starlette",
];

/// Names that only code with routes of ASP.NET Core has. Its packages are imported for whole projects.
pub(super) const ASP_NET_NAMES: &[&str] = &[
    "ApiController",
    "ApiControllerAttribute",
    "HttpDelete",
    "HttpGet",
    "HttpPatch",
    "HttpPost",
    "HttpPut",
    "IEndpointRouteBuilder",
    "MapDelete",
    "MapGet",
    "MapGroup",
    "MapPatch",
    "MapPost",
    "MapPut",
    "RouteGroupBuilder",
    "WebApplication",
];
