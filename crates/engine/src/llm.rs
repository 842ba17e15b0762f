//! Client of an optional language model, such as one that writes summaries. Every operation works without it.

use std::time::Duration;

use heirloom_core::transcript::{Role, Transcript};
use heirloom_core::{Value, secret};
use serde_json::json;

use crate::Session;

/// Limits how much of a conversation is sent. The end is kept, because it matters most.
const MAX_CONVERSATION_BYTES: usize = 48_000;

const INSTRUCTION: &str = "Summarise this working session for the agent that continues it: what was asked, what was decided and why, what was done, what is open. At most 150 words, plain sentences, no preamble.";

/// Asks the configured model for a summary and returns it with the model's name. If the model does not
/// answer, adds a warning and returns `None`; the caller then derives a summary from the transcript's
/// structure.
pub(crate) fn summarise(
    session: &Session,
    transcript: &Transcript,
    warnings: &mut Vec<String>,
) -> Option<(String, String)> {
    let config = session.config().ok()?;
    let endpoint = match session.remote_llm().endpoint(config.llm.endpoint.as_deref()) {
        Ok(endpoint) => endpoint?,
        Err(unconfirmed) => {
            warnings.push(format!("the settings name a language model at {unconfirmed}, and settings come with the repository, so it is not used without your consent; to send it this conversation, set HEIRLOOM_LLM_ENDPOINT={unconfirmed}"));
            return None;
        }
    };
    let conversation = format_conversation(transcript);
    match complete(session, endpoint, &config.llm.model, INSTRUCTION, &conversation) {
        Ok(text) => Some((text, config.llm.model.clone())),
        Err(reason) => {
            warnings.push(format!("the model at {endpoint} wrote no summary: {reason}"));
            None
        }
    }
}

/// Asks the model at an endpoint, and returns its answer or the reason why there is none.
pub(crate) fn complete(
    session: &Session,
    endpoint: &str,
    model: &str,
    instruction: &str,
    question: &str,
) -> Result<String, String> {
    let agent: ureq::Agent =
        ureq::Agent::config_builder().timeout_global(Some(Duration::from_secs(60))).build().into();
    let url = format!("{}/chat/completions", endpoint.trim_end_matches('/'));
    let request = json!({
        "model": model,
        "messages": [
            {"role": "system", "content": instruction},
            {"role": "user", "content": question},
        ],
    });
    let mut post = agent.post(&url).header("Content-Type", "application/json");
    if let Some(key) = session.remote_llm().key.as_deref() {
        post = post.header("Authorization", &format!("Bearer {key}"));
    }
    let mut answer = post.send(request.to_string()).map_err(|error| error.to_string())?;
    let text = answer.body_mut().read_to_string().map_err(|error| error.to_string())?;
    let value: Value = serde_json::from_str(&text).map_err(|error| error.to_string())?;
    value["choices"][0]["message"]["content"]
        .as_str()
        .map(|text| text.trim().to_owned())
        .filter(|text| !text.is_empty())
        .ok_or_else(|| "the answer contains no text".to_owned())
}

/// Formats the end of a conversation, without turns that contain a secret.
fn format_conversation(transcript: &Transcript) -> String {
    let mut text = String::new();
    for turn in &transcript.turns {
        let speaker = match turn.role {
            Role::User => "User",
            Role::Assistant => "Assistant",
            Role::Tool => "Tool",
            Role::System => "System",
        };
        let content = if secret::find(&turn.text).is_some() { "(left out)" } else { &turn.text };
        text.push_str(&format!("{speaker}: {content}\n\n"));
    }
    let mut start = text.len().saturating_sub(MAX_CONVERSATION_BYTES);
    while !text.is_char_boundary(start) {
        start += 1;
    }
    text.split_off(start)
}
