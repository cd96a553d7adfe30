//! Queries on a graph, one file each.

mod boundaries;
mod contexts;
mod error;
mod events;
mod impact;
mod neighborhood;
mod search;
mod service_context;
mod spread;

pub use boundaries::{
    BoundariesRequest, BoundaryValidation, MisplacedFile, ServiceCoupling, validate_service_boundaries,
};
pub use contexts::search_contexts;
pub use error::QueryError;
pub use events::{EventEntry, EventValidation, EventsRequest, check_cross_service_events};
pub use impact::{
    CrossServiceImpact, ImpactRequest, ImpactedContract, ImpactedEntity, ImpactedService,
    find_cross_service_impact,
};
pub use neighborhood::{Neighborhood, NeighborhoodRequest, query_graph_neighborhood};
pub use search::{ContextResult, HybridSearchRequest, SearchResult, SearchResults, Semantics, hybrid_search};
pub use service_context::{ServiceContextRequest, get_service_context};

pub use crate::context::facts::{
    ConsumedEndpoint, ConsumedEvent, OwnedEntity, ProvidedEndpoint, PublishedEvent, ReferencedEntity,
    ServiceContext, TransitiveDependency,
};
