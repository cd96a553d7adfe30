//! Documents, in which no name refers to code.

use super::{ModuleTarget, Modules};
use crate::link::context::Context;
use crate::link::tables::Scope;

pub(super) struct NoModules;

impl Modules for NoModules {
    fn resolve(&self, _context: &Context<'_>, _from: Scope, _module: &str) -> ModuleTarget {
        ModuleTarget::Missing
    }

    fn child(&self, _context: &Context<'_>, _within: Scope, _name: &str) -> Option<Scope> {
        None
    }

    fn separator(&self) -> &'static str {
        "."
    }

    fn statically_typed(&self) -> bool {
        false
    }

    fn glob_offers(&self, _: &Context<'_>, _from: Scope, _module: Scope, _name: &str, _public: bool) -> bool {
        false
    }

    fn is_common_method(&self, _name: &str) -> bool {
        false
    }

    fn builtin(&self, _name: &str) -> Option<String> {
        None
    }
}
