//! Tool calls and results that are blocks of a message's content, as in Anthropic's Messages API.

use serde_json::Value;

use super::builder::{ReportedCall, ReportedResult, TranscriptBuilder};
use super::content;

/// The origin of a message's blocks.
#[derive(Clone, Copy)]
pub(super) struct BlockOrigin {
    pub(super) line: usize,
    /// Whether a sub-agent wrote the message.
    pub(super) by_subagent: bool,
}

/// Adds the tool calls and results among the blocks of a message. `structured` is the result as
/// structured data, which Claude Code stores beside the message.
pub(super) fn add_tool_blocks(
    builder: &mut TranscriptBuilder<'_>,
    blocks: &Value,
    structured: Option<&Value>,
    origin: BlockOrigin,
) {
    let BlockOrigin { line, by_subagent } = origin;
    for block in content::array_items(blocks) {
        match block["type"].as_str() {
            Some("tool_use" | "server_tool_use") => builder.add_call(&ReportedCall {
                id: block["id"].as_str(),
                name: block["name"].as_str().unwrap_or("tool"),
                input: &block["input"],
                line,
                by_subagent,
            }),
            Some("tool_result") => {
                let id = block["tool_use_id"].as_str();
                let text = content::text_of(&block["content"]);
                let failed = block["is_error"] == true;
                if !by_subagent || builder.has_call(id) {
                    builder.add_result(&ReportedResult {
                        id,
                        text: &text,
                        failed,
                        structured,
                        line,
                    });
                }
            }
            _ => {}
        }
    }
}
