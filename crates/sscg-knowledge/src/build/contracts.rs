//! Providers of contracts.

use std::collections::BTreeMap;

use sscg_core::Confidence;

use super::names;
use super::ownership::Ownership;
use crate::{Contract, ContractType, FactEvidence, Model, Problem, Source};

/// Resolver of the services that provide contracts.
pub(super) struct Providers<'a> {
    model: &'a Model,
    ownership: Ownership,
    /// Services whose code handles each path shape and method.
    answered: BTreeMap<(String, &'a str), Vec<&'a str>>,
}

impl<'a> Providers<'a> {
    pub(super) fn new(model: &'a Model) -> Self {
        let mut answered: BTreeMap<(String, &'a str), Vec<&'a str>> = BTreeMap::new();
        for endpoint in &model.endpoints {
            let services = answered.entry((names::shape(&endpoint.path), &endpoint.method)).or_default();
            if !services.contains(&&*endpoint.service) {
                services.push(&endpoint.service);
            }
        }
        // Problems with directories were reported when files were assigned to services.
        Self { model, ownership: Ownership::new(model, &mut Vec::new()), answered }
    }

    /// Returns the service of a contract with its evidence. Tries, in this order, the service that the contract names,
    /// the location of its file, the names of its directories, its hints (title, hosts), and the service that handles
    /// more than half of its endpoints.
    pub(super) fn of(
        &self,
        contract: &Contract,
        problems: &mut Vec<Problem>,
    ) -> Option<(&'a str, FactEvidence)> {
        let evidence =
            |source, confidence| FactEvidence { confidence, source, file: contract.file.clone(), line: 0 };
        if let Some(name) = &contract.service {
            match self.called(name) {
                Some(service) => return Some((service, evidence(Source::Contract, Confidence::Exact))),
                None => problems.push(Problem::new(
                    contract.file.clone(),
                    format!(
                        "the contract names the service `{name}`, which there is not; where it stands decides"
                    ),
                )),
            }
        }
        // One file can declare the services of a whole project, and each service can keep a copy of it.
        if contract.contract_type == ContractType::Protobuf {
            let service = self.answering(contract);
            return service.map(|service| (service, evidence(Source::Code, Confidence::Inferred)));
        }
        if let Some(owner) = self.ownership.service_of(&contract.file) {
            let service = self.model.services.iter().find(|service| service.name == (**owner).into())?;
            return Some((&service.name, evidence(Source::Layout, Confidence::Inferred)));
        }
        let dirs = contract.file.rsplit('/').skip(1);
        if let Some(service) = dirs.into_iter().find_map(|dir| self.called(dir)) {
            return Some((service, evidence(Source::Layout, Confidence::Inferred)));
        }
        if let Some(service) = contract.hints.iter().find_map(|hint| self.called(hint)) {
            return Some((service, evidence(Source::Name, Confidence::Inferred)));
        }
        self.answering(contract).map(|service| (service, evidence(Source::Code, Confidence::Inferred)))
    }

    /// Returns the service with a name, or the only one with an equivalent name or with this host; `None` if there are
    /// several.
    fn called(&self, name: &str) -> Option<&'a str> {
        let services = || self.model.services.iter();
        if let Some(service) = services().find(|service| &*service.name == name) {
            return Some(&service.name);
        }
        let folded = names::service(name);
        let mut alike = services().filter(|service| {
            names::service(&service.name) == folded || service.hosts.iter().any(|host| &**host == name)
        });
        let first = alike.next()?;
        alike.next().is_none().then_some(&first.name)
    }

    /// Returns the only service that handles more than half of the endpoints of a contract.
    fn answering(&self, contract: &Contract) -> Option<&'a str> {
        let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
        for operation in &contract.operations {
            let answered = self.answered.get(&(names::shape(&operation.path), &*operation.method));
            for service in answered.into_iter().flatten() {
                *counts.entry(service).or_default() += 1;
            }
        }
        let most = counts.values().copied().max()?;
        let mut best = counts.into_iter().filter(|(_, count)| *count == most);
        let (service, count) = best.next()?;
        (best.next().is_none() && count * 2 > contract.operations.len()).then_some(service)
    }
}
