//! Routers that an expression denotes.

use sscg_core::wiring::{Call, Expression};

use super::framework::Framework;
use super::reader::{DEPTH, RouteReader};
use super::router::Router;
use crate::derive::code::At;
use crate::derive::value::{Parameter, Piece, Value};

impl<'a> RouteReader<'a> {
    /// Returns the routers that an expression denotes.
    pub(super) fn routers(&self, it: At<'a>) -> Vec<Router> {
        self.follow(it, DEPTH)
    }

    fn follow(&self, it: At<'a>, depth: u32) -> Vec<Router> {
        let Some(depth) = depth.checked_sub(1) else { return Vec::new() };
        match it.expression {
            Expression::Call(_) => self.call(it).map_or_else(Vec::new, |call| self.of_call(it, call, depth)),
            Expression::Name(_) | Expression::Member(..) => {
                let values = self.code.denoted(it).into_iter();
                let routers: Vec<Router> = values.flat_map(|value| self.of_value(value, depth)).collect();
                if routers.is_empty() { self.of_part(it, depth) } else { routers }
            }
            Expression::Either(values) | Expression::List(values) => {
                values.iter().flat_map(|value| self.follow(it.with(value), depth)).collect()
            }
            _ => Vec::new(),
        }
    }

    /// Returns the routers that a value is.
    fn of_value(&self, value: Value<'a>, depth: u32) -> Vec<Router> {
        let router = match value {
            Value::Call(value) | Value::List(value) => return self.follow(value, depth),
            Value::Symbol(symbol) => Some(Router::Declared(symbol)),
            Value::Text(text) => match text[..] {
                [Piece::Parameter(Parameter { file, function, index })] => {
                    let function = &self.code.wired(file).wiring.functions[function as usize];
                    Some(Router::Given(file, function.span, index as usize))
                }
                _ => None,
            },
            _ => None,
        };
        router.filter(|router| self.framework(*router).is_some()).into_iter().collect()
    }

    /// Returns the routers of a member that stands for the router itself: `app.router` of aiohttp and FastAPI,
    /// `router.urls` and `router.registry` of Django REST framework.
    fn of_part(&self, it: At<'a>, depth: u32) -> Vec<Router> {
        let Expression::Member(base, name) = it.expression else { return Vec::new() };
        let is_part = |router: &Router| match &**name {
            "router" => true,
            _ => self.framework(*router) == Some(Framework::Rest),
        };
        match &**name {
            "router" | "urls" | "registry" => {
                self.follow(it.with(base), depth).into_iter().filter(is_part).collect()
            }
            _ => Vec::new(),
        }
    }

    /// Returns the routers of a call: the one that it makes, its receiver, or those of a function.
    fn of_call(&self, it: At<'a>, call: &'a Call, depth: u32) -> Vec<Router> {
        let key = (it.file, call.span);
        if let Some(known) = self.given.borrow().get(&key) {
            return known.clone();
        }
        // A chain does not count against the depth: it is as long as there are routes.
        let mut chain = Vec::new();
        let mut inner = call;
        let mut routers = loop {
            let made = Router::Made(it.file, inner.span);
            if self.frameworks.contains_key(&made) {
                break vec![made];
            }
            let callee = it.with(&inner.callee);
            if let Some(receiver) = inner.callee.receiver() {
                let receiver = it.with(receiver);
                chain.push(inner);
                match self.call(receiver) {
                    Some(before) => inner = before,
                    None => {
                        let on = self.follow(receiver, depth);
                        if !on.is_empty() {
                            break on;
                        }
                        chain.pop();
                        break self.of_function(callee, inner, depth);
                    }
                }
            } else {
                break self.of_function(callee, inner, depth);
            }
        };
        let is_chained = !chain.is_empty();
        for call in chain.into_iter().rev() {
            let keeps = |router: &Router| {
                self.framework(*router).is_some_and(|framework| framework.is_returned_by(call))
            };
            routers.retain(keeps);
            self.given.borrow_mut().insert((it.file, call.span), routers.clone());
        }
        if is_chained && routers.is_empty() {
            routers = self.of_function(it.with(&call.callee), call, depth);
        }
        self.given.borrow_mut().insert(key, routers.clone());
        routers
    }

    /// Returns the known routers that a project function returns: those that it makes, and in Rust those passed to it.
    fn of_function(&self, callee: At<'a>, call: &'a Call, depth: u32) -> Vec<Router> {
        let Some(symbol) = self.code.declaration(callee) else { return Vec::new() };
        let mut routers = Vec::new();
        if self.made_in.contains_key(&symbol) {
            routers.push(Router::Declared(symbol));
        }
        // Functions that extend a router return it.
        if self.is_rust(callee.file) {
            let passed =
                call.arguments.iter().flat_map(|argument| self.follow(callee.with(&argument.value), depth));
            routers.extend(passed);
        }
        routers
    }
}
