//! Over the standard streams, or any others.

use std::future::Future;

use rmcp::service::{ServerInitializeError, serve_server_with_ct};
use rmcp::transport::async_rw::AsyncRwTransport;
use rmcp::transport::io::stdio_pipes;
use tokio::io::{AsyncRead, AsyncWrite};
use tokio_util::sync::CancellationToken;

use crate::{Error, Server, lines};

/// Bytes on their way between the streams and the protocol.
const PIPE_BYTES: usize = 1 << 16;

impl Server {
    /// Serves one client over standard input and output, until it closes its end or `until` is ready. Nothing else may
    /// write to standard output.
    ///
    /// # Errors
    /// If the client does not speak the protocol.
    pub async fn serve_stdio(self, until: impl Future<Output = ()>) -> Result<(), Error> {
        let (input, output) = stdio_pipes();
        self.serve_streams(input, output, until).await
    }

    /// The same over other streams. Messages are JSON on a line each. What is no JSON, or has more than 16 MiB, is answered with an
    /// error without an id.
    ///
    /// # Errors
    /// If the client does not speak the protocol.
    pub async fn serve_streams<R, W>(
        self,
        input: R,
        output: W,
        until: impl Future<Output = ()>,
    ) -> Result<(), Error>
    where
        R: AsyncRead + Send + Unpin + 'static,
        W: AsyncWrite + Send + Unpin + 'static,
    {
        let stop = CancellationToken::new();
        let (to_server, from_client) = tokio::io::duplex(PIPE_BYTES);
        let (to_client, from_server) = tokio::io::duplex(PIPE_BYTES);
        let (answers, answered) = tokio::sync::mpsc::unbounded_channel();
        // A client that has gone takes nothing more; the server sees its input end.
        let reader = async move { lines::pass_on(input, to_server, &answers).await };
        let reader = tokio::spawn(reader);
        let writer = tokio::spawn(lines::write_out(from_server, output, answered));
        let serve = async {
            let transport = AsyncRwTransport::new_server(from_client, to_client);
            let outcome = match serve_server_with_ct(self, transport, stop.clone()).await {
                Ok(running) => {
                    // A task that panicked is told of on standard error.
                    _ = running.waiting().await;
                    Ok(())
                }
                Err(ServerInitializeError::ExpectedInitializeRequest(message)) => {
                    let message = match message {
                        Some(message) => serde_json::to_string(&message).unwrap_or_default(),
                        None => "it says nothing".to_owned(),
                    };
                    Err(Error::Protocol { message: message.chars().take(200).collect() })
                }
                Err(ServerInitializeError::InitializeFailed(error)) => {
                    Err(Error::Protocol { message: error.message.into_owned() })
                }
                // It has gone again.
                Err(_) => Ok(()),
            };
            reader.abort();
            // What was answered last is on its way.
            _ = writer.await;
            outcome
        };
        let stopper = async {
            until.await;
            stop.cancel();
            std::future::pending().await
        };
        tokio::select! {
            outcome = serve => outcome,
            () = stopper => Ok(()),
        }
    }
}
