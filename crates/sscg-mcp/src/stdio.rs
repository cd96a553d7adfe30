//! Over the standard streams, or any others.

use std::future::Future;

use rmcp::service::{ServerInitializeError, serve_server_with_ct};
use rmcp::transport::async_rw::AsyncRwTransport;
use rmcp::transport::io::stdio_pipes;
use tokio::io::{AsyncRead, AsyncWrite};
use tokio_util::sync::CancellationToken;

use crate::{Error, Server};

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

    /// The same over other streams. Messages are JSON on a line each; one of more than 16 MiB is passed over.
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
        let serve = async {
            let transport = AsyncRwTransport::new_server(input, output);
            match serve_server_with_ct(self, transport, stop.clone()).await {
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
            }
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
