//! Contracts: OpenAPI, AsyncAPI, JSON Schema and Protocol Buffers files.

mod asyncapi;
mod json_schema;
mod openapi;
pub(crate) mod protobuf;
mod reference;

use serde_json::Value;

use super::interest::{Kind, kind, looks_like_contract};
use super::text::{Tree, split, text_of};
use crate::{Contract, ContractType, Problem};
use reference::ContractReader;

/// Contract with the hosts of its servers.
pub(super) struct Read {
    pub(super) contract: Contract,
    pub(super) hosts: Vec<Box<str>>,
}

/// Reads the contracts among the files.
pub(super) fn read(tree: &Tree<'_>, problems: &mut Vec<Problem>) -> Vec<Read> {
    let mut contracts = Vec::new();
    for path in tree.paths() {
        let named = match kind(path) {
            Some(Kind::Contract) => true,
            Some(Kind::Candidate) if looks_like_contract(tree.text(path)) => false,
            Some(Kind::Protobuf) => {
                match tree.readable(path) {
                    Ok(text) => contracts.extend(protobuf::read(path, text)),
                    Err(problem) => problems.push(problem),
                }
                continue;
            }
            _ => continue,
        };
        match tree.documents(path) {
            Ok([document, ..]) => {
                let mut reader = ContractReader::new(tree, path, problems);
                match contract(&mut reader, document) {
                    Some(contract) => contracts.push(contract),
                    None if named => problems.push(Problem::new(
                        path,
                        "is named like a contract, but holds neither OpenAPI, AsyncAPI nor JSON Schema",
                    )),
                    None => {}
                }
            }
            Ok([]) if named => problems.push(Problem::new(path, "is empty")),
            Ok([]) => {}
            Err(problem) => problems.push(problem),
        }
    }
    contracts
}

fn contract<'t>(reader: &mut ContractReader<'t, '_>, document: &'t Value) -> Option<Read> {
    let of_none = |contract| Read { contract, hosts: Vec::new() };
    if document.get("openapi").or_else(|| document.get("swagger")).is_some() {
        return Some(openapi::read(reader, document));
    }
    if document.get("asyncapi").is_some() {
        // The servers are brokers, whose hosts do not name a service.
        return Some(of_none(asyncapi::read(reader, document)));
    }
    json_schema::read(reader, document).map(of_none)
}

/// Creates a contract from the metadata that OpenAPI and AsyncAPI have in common.
fn about(reader: &ContractReader<'_, '_>, document: &Value, contract_type: ContractType) -> Contract {
    let empty = Value::Null;
    let info = document.get("info").unwrap_or(&empty);
    let own = |key: &str| info.get(key).or_else(|| document.get(key));
    let title = text_of(info, "title");
    let (dir, _) = split(reader.path);
    let hints = [&*title, split(dir).1].into_iter().filter(|hint| !hint.is_empty()).map(Into::into).collect();
    Contract {
        file: reader.path.into(),
        contract_type,
        version: text_of(info, "version").into(),
        title: title.into(),
        service: own("x-service").and_then(Value::as_str).map(Into::into),
        hints,
        deprecated: ["deprecated", "x-deprecated"]
            .into_iter()
            .any(|key| own(key) == Some(&Value::Bool(true))),
        operations: Vec::new(),
        messages: Vec::new(),
        schemas: Vec::new(),
    }
}

/// Returns the host of an address without its port; `None` if there is none or part of it is a placeholder.
fn host(address: &str) -> Option<&str> {
    let (_, rest) = address.split_once("://").unwrap_or(("", address));
    let host = rest.split(['/', '?', ':']).next()?;
    let host = host.rsplit('@').next()?;
    (!host.is_empty() && !host.contains(['{', '$']) && host != "localhost").then_some(host)
}
