//! Services and communities as text.

use std::sync::LazyLock;

use proptest::prelude::*;
use sscg_core::TokenCounter;
use sscg_format::O200k;
use sscg_knowledge::query::{ServiceContextRequest, get_service_context};
use sscg_knowledge::{CONTEXT_TOKENS, KnowledgeGraph, community_summary};

use crate::shop_graph::shop;
use crate::support::built;

const TITLES: [&str; 8] = [
    "### Service Dependencies",
    "### APIs This Service Provides",
    "### APIs This Service Must Consume",
    "### Events Published",
    "### Events Consumed",
    "### Domain Entities Owned",
    "### Domain Entities Referenced (from other services)",
    "### Cross-Service Integration Notes",
];

static GRAPH: LazyLock<KnowledgeGraph> = LazyLock::new(|| built().0);

fn text(service: &str, max_tokens: usize) -> String {
    let request = ServiceContextRequest::default().with_service_name(service).with_max_tokens(max_tokens);
    get_service_context(&GRAPH, &request, &O200k).unwrap().context_text
}

fn titles(text: &str) -> Vec<&str> {
    text.lines().filter(|line| line.starts_with("### ")).collect()
}

#[test]
fn assemble_service_context_includes_all_sections() {
    let text = text("orders", CONTEXT_TOKENS);
    // The orders consume no events.
    let expected: Vec<&str> =
        TITLES.iter().copied().filter(|title| *title != "### Events Consumed").collect();
    assert_eq!(titles(&text), expected);
    for line in [
        "## Service Context: orders",
        "- **Depends on:** payments",
        "- **Depended on by:** payments, shipping",
        "| GET | /orders/{orderId} | getOrder |",
        "| POST | /orders/{orderId}/returns | (none found) |",
        "| POST | /payments | payments |",
        "| order.placed | bus | payments |",
        "#### Order",
        "- id: string",
        "- total: number (optional)",
        "#### Payment (owned by payments)",
        "- order.placed is consumed by payments: keep its payload stable. Its payload must have order_id, total.",
        "- GET /orders/{orderId} is called by payments.",
    ] {
        assert!(text.lines().any(|it| it == line), "{line}\n\n{text}");
    }
    let payments = self::text("payments", CONTEXT_TOKENS);
    for line in [
        "| refund.issued | (none found) |",
        "- orders GET /orders/{orderId} takes credentials: send them with each request.",
        "- Nobody was found who publishes refund.issued.",
    ] {
        assert!(payments.lines().any(|it| it == line), "{line}\n\n{payments}");
    }
}

#[test]
fn assemble_service_context_empty_sections_omitted() {
    let shipping = text("shipping", CONTEXT_TOKENS);
    assert!(
        !shipping.contains("### APIs This Service Provides") && !shipping.contains("Owned"),
        "{shipping}"
    );
    assert!(shipping.contains("### Service Dependencies"));
}

#[test]
fn truncate_to_budget_respects_limit() {
    let whole = text("orders", CONTEXT_TOKENS);
    let needed = O200k.count(&whole);
    assert_eq!(text("orders", needed), whole);
    for max_tokens in (0..needed).step_by(7) {
        let cut = text("orders", max_tokens);
        assert!(O200k.count(&cut) <= max_tokens, "{max_tokens}: {cut}");
        assert!(cut.is_empty() || cut.to_lowercase().contains("left out"), "{cut}");
    }
}

#[test]
fn truncate_to_budget_preserves_priority_order() {
    // The most important sections are kept longest, although they do not come first.
    let first_with =
        |title: &str| (0..400).find(|tokens| titles(&text("orders", *tokens)).contains(&title)).unwrap();
    let order = [0, 2, 6, 1, 3, 5, 7].map(|at: usize| first_with(TITLES[at]));
    assert!(order.is_sorted() && order[0] < order[6], "{order:?}");
}

#[test]
fn nothing_is_cut_within_a_line() {
    let whole = text("orders", CONTEXT_TOKENS);
    let lines: Vec<&str> = whole.lines().collect();
    for max_tokens in (60..O200k.count(&whole)).step_by(3) {
        for line in text("orders", max_tokens).lines() {
            assert!(lines.contains(&line) || line.contains("eft out"), "{line}");
        }
    }
}

#[test]
fn a_context_of_a_real_service_fits_into_the_usual_budget() {
    let (graph, _) = shop();
    for service in ["orders", "storefront", "catalog"] {
        let request = ServiceContextRequest::default().with_service_name(service);
        let text = get_service_context(&graph, &request, &O200k).unwrap().context_text;
        assert!(O200k.count(&text) <= CONTEXT_TOKENS && !text.contains("eft out"), "{text}");
    }
}

#[test]
fn community_summary_includes_members_and_edges() {
    let (graph, report) = built();
    let community = graph.get("file::services/payments/src/payments.ts").unwrap().community_id().unwrap();
    let summary = community_summary(&graph, community).unwrap();
    assert!(summary.contains("Services: ") && summary.contains("payments ("), "{summary}");
    assert!(
        summary.contains("Files: ") && summary.contains("services/payments/src/payments.ts"),
        "{summary}"
    );
    assert!(summary.contains("Relationships: ") && summary.contains("DEFINES_SYMBOL ("), "{summary}");
    assert_eq!(summary, community_summary(&graph, community).unwrap());
    assert_eq!(community_summary(&graph, report.community_count as u32), None);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(32))]
    #[test]
    fn more_room_never_shows_less(a in 0..600_usize, b in 0..600_usize) {
        let (less, more) = (a.min(b), a.max(b));
        let rows = |text: &str| text.lines().filter(|line| !line.contains("eft out") && !line.is_empty()).count();
        prop_assert!(rows(&text("payments", less)) <= rows(&text("payments", more)) + 2);
    }
}
