//! Documents, in which no name refers to code.

use super::{LanguageRules, ModuleTarget, RuleContext, Typing};
use crate::link::tables::Scope;

pub(super) struct NoModules;

impl LanguageRules for NoModules {
    fn resolve(&self, _context: &RuleContext<'_>, _from: Scope, _module: &str) -> ModuleTarget {
        ModuleTarget::Missing
    }

    fn child(&self, _context: &RuleContext<'_>, _within: Scope, _name: &str) -> Option<Scope> {
        None
    }

    fn separator(&self) -> &'static str {
        "."
    }

    fn typing(&self) -> Typing {
        Typing::Dynamic
    }

    fn glob_offers(
        &self,
        _: &RuleContext<'_>,
        _from: Scope,
        _module: Scope,
        _name: &str,
        _public: bool,
    ) -> bool {
        false
    }

    fn is_common_method(&self, _name: &str) -> bool {
        false
    }

    fn builtin(&self, _name: &str) -> Option<String> {
        None
    }
}
