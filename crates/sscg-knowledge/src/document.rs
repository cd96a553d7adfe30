//! Text of a node that is embedded for semantic search.

use std::fmt::Write;

use crate::{Node, NodeData};

impl Node {
    /// Returns the text that semantic search compares with a query: one sentence per known attribute.
    pub fn document(&self) -> String {
        let mut text = String::new();
        let mut say = |what: &str, value: &str| {
            if !value.is_empty() {
                let space = if text.is_empty() { "" } else { " " };
                write!(text, "{space}{what}: {value}.").expect("writing to a string does not fail");
            }
        };
        match self.data() {
            NodeData::File(file) => {
                say("File", &file.file_path);
                say("Language", &file.language);
                say("Service", &file.service_name);
            }
            NodeData::Symbol(symbol) => {
                say("Symbol", &format!("{} ({}) in {}", symbol.symbol_name, symbol.kind, symbol.file_path));
                say("Signature", &symbol.signature);
                say("Service", &symbol.service_name);
            }
            NodeData::Service(service) => {
                say("Service", &service.service_name);
                say("Domain", &service.domain);
                say("Description", &service.description);
                let stack: Vec<String> = service.stack.values().map(|values| values.join(", ")).collect();
                say("Stack", &stack.join(", "));
            }
            NodeData::Contract(contract) => {
                say("Contract", &format!("{} {}", contract.contract_type.as_str(), contract.contract_id));
                say("Title", &contract.title);
                say("Version", &contract.version);
                say("Service", &contract.service_name);
                say("Status", &contract.status);
            }
            NodeData::Endpoint(endpoint) => {
                say("Endpoint", &format!("{} {}", endpoint.method, endpoint.path));
                say("Summary", &endpoint.summary);
                say("Service", &endpoint.service_name);
            }
            NodeData::DomainEntity(entity) => {
                say("Domain entity", &entity.entity_name);
                say("Description", &entity.description);
                say("Owned by", &entity.owning_service);
                let fields: Vec<&str> = entity.fields.iter().map(|field| &*field.name).collect();
                say("Fields", &fields.join(", "));
            }
            NodeData::Event(event) => {
                say("Event", &event.event_name);
                say("Channel", &event.channel);
                say("Fields", &event.required_fields.join(", "));
            }
        }
        text
    }
}
