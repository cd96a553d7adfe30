//! Client of the SDK.

use rmcp::ServiceExt;
use rmcp::model::CallToolRequestParams;
use serde_json::json;
use sscg_mcp::rmcp;

use crate::client::Sandbox;

#[tokio::test]
async fn it_lists_and_calls_every_tool() {
    let sandbox = Sandbox::parcel();
    sandbox.write("tree/guide.md", "# Guide\n\nHow parcels travel.\n");
    let (here, there) = tokio::io::duplex(1 << 16);
    let server = sandbox.server();
    let serving = tokio::spawn(async move { server.serve(there).await?.waiting().await.map_err(Into::into) });
    let client = ().serve(here).await.expect("a handshake");
    let tools = client.list_all_tools().await.expect("a list");
    for tool in &tools {
        let mut arguments = json!({});
        for name in tool.input_schema.get("required").and_then(|names| names.as_array()).into_iter().flatten()
        {
            arguments[name.as_str().expect("a name")] = match name.as_str().expect("a name") {
                "query" => "how do parcels travel".into(),
                "seeds" | "names" => json!(["Invoice"]),
                "mode" => "callers".into(),
                "to" => "Money".into(),
                "node_id" => "router/src/plan.rs".into(),
                // A project without deployments is one service.
                "service_name" => "tree".into(),
                _ => "Invoice".into(),
            };
        }
        let arguments = arguments.as_object().expect("ours").clone();
        let call = CallToolRequestParams::new(tool.name.clone()).with_arguments(arguments);
        let result = client.call_tool(call).await.expect("a result");
        assert_eq!(result.is_error, Some(false), "{}: {result:?}", tool.name);
        assert!(!result.content.is_empty());
    }
    client.cancel().await.expect("it ends");
    serving
        .await
        .expect("no panic")
        .map_err(|error: Box<dyn std::error::Error + Send + Sync>| error)
        .expect("it ends well");
}
