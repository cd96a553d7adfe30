//! Transport over the standard streams or any others.

use std::future::Future;

use rmcp::service::{ServerInitializeError, serve_server_with_ct};
use rmcp::transport::async_rw::AsyncRwTransport;
use rmcp::transport::io::stdio_pipes;
use tokio::io::{AsyncRead, AsyncWrite};
use tokio_util::sync::CancellationToken;

use crate::{Error, Server, lines};

/// Buffer size of the pipes between the streams and the protocol, in bytes.
const PIPE_BYTES: usize = 1 << 16;

impl Server {
    /// Serves one client over standard input and output, until it closes its end or `until` is ready. Nothing else may
    /// write to standard output.
    ///
    /// # Errors
    /// Fails if the client does not follow the protocol.
    pub async fn serve_stdio(self, until: impl Future<Output = ()>) -> Result<(), Error> {
        let (input, output) = stdio_pipes();
        self.serve_streams(input, output, until).await
    }

    /// Serves one client over other streams. Messages are JSON, one per line. Lines that are not JSON or have more than
    /// 16 MiB are answered with an error without an id.
    ///
    /// # Errors
    /// Fails if the client does not follow the protocol.
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
        // If the client is gone, the server sees the end of its input.
        let reader = async move { lines::pass_on(input, to_server, &answers).await };
        let reader = tokio::spawn(reader);
        let writer = tokio::spawn(lines::write_out(from_server, output, answered));
        let serve = async {
            let transport = AsyncRwTransport::new_server(from_client, to_client);
            let outcome = match serve_server_with_ct(self, transport, stop.clone()).await {
                Ok(running) => {
                    // A panic of a task is reported on standard error.
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
                // The client has disconnected.
                Err(_) => Ok(()),
            };
            reader.abort();
            // The last answers may still be in the pipe.
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
