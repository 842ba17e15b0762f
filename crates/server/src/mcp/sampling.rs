//! The model of a client that offers it: sampling.
#![expect(
    deprecated,
    reason = "clients offer sampling, whatever later versions of the protocol say"
)]

use std::sync::Arc;
use std::time::Duration;

use heirloom_engine::ClientModel;
use rmcp::model::{CreateMessageRequestParams, SamplingMessage};
use rmcp::service::RequestContext;
use rmcp::{Peer, RoleServer};
use tokio::runtime::Handle;

/// How long an answer is waited for: a client may ask its user first.
const TIMEOUT: Duration = Duration::from_secs(60);

/// Most tokens of an answer.
const ANSWER_MAX_TOKENS: u32 = 300;

/// The model of a connected client.
#[derive(Debug)]
struct PeerModel {
    peer: Peer<RoleServer>,
    runtime: Handle,
    name: String,
}

/// Returns the model of the client that makes a request, if it offers one.
pub(super) fn model_of(context: &RequestContext<RoleServer>) -> Option<Arc<dyn ClientModel>> {
    let info = context.peer.peer_info()?;
    info.capabilities.sampling.as_ref()?;
    let name = info.client_info.name.clone();
    Some(Arc::new(PeerModel { peer: context.peer.clone(), runtime: Handle::current(), name }))
}

impl ClientModel for PeerModel {
    fn name(&self) -> String {
        self.name.clone()
    }

    fn complete(&self, instruction: &str, question: &str) -> Result<String, String> {
        let messages = vec![SamplingMessage::user_text(question)];
        let mut request = CreateMessageRequestParams::new(messages, ANSWER_MAX_TOKENS);
        request.system_prompt = Some(instruction.to_owned());
        request.temperature = Some(0.0);
        // Operations run on threads of their own, so the event loop goes on while this one waits.
        let answered = self.runtime.block_on(async {
            tokio::time::timeout(TIMEOUT, self.peer.create_message(request)).await
        });
        match answered {
            Err(_) => Err(format!("it did not answer within {} s", TIMEOUT.as_secs())),
            Ok(Err(error)) => Err(error.to_string()),
            Ok(Ok(result)) => {
                let texts = result.message.content.into_vec();
                let texts = texts.iter().filter_map(|block| Some(block.as_text()?.text.as_str()));
                Ok(texts.collect::<Vec<_>>().join("\n"))
            }
        }
    }
}
