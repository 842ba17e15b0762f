//! MCP over stdio: operations are tools, resolved contexts are resources, and prompts show the result
//! of an operation.

mod malformed;
mod sampling;
mod transport;

use std::sync::Arc;

use heirloom_core::path::percent_decode;
use heirloom_engine::view::escape_unprintable;
use heirloom_engine::{
    Client, Effect, Error, Group, OPS, Op, Reply, Scope, end_sessions_of_client, ops, schema,
};
use rmcp::model::{
    CallToolRequestParams, CallToolResponse, CallToolResult, ContentBlock, CustomRequest,
    CustomResult, GetPromptRequestParams, GetPromptResponse, GetPromptResult, Implementation,
    ListPromptsResult, ListResourceTemplatesResult, ListResourcesResult, ListToolsResult,
    PaginatedRequestParams, PromptMessage, ReadResourceRequestParams, ReadResourceResponse,
    ReadResourceResult, Resource, ResourceContents, ResourceTemplate, Role, ServerCapabilities,
    ServerConfig, Tool, ToolAnnotations,
};
use rmcp::service::RequestContext;
use rmcp::{ErrorData, RoleServer, ServerHandler, ServiceExt};
use serde_json::{Map, Value, json};

use self::transport::JsonLines;
use crate::wording::format_hint;
use crate::{SharedOpener, call, prompts, shutdown};

const INSTRUCTIONS: &str = "Heirloom holds what this team's agents inherit. Before you start work, call context_resolve with your plan and agent: it returns the standards, decisions and memories that apply to you, each with its source and freshness. Heed its warnings. When you learn something that a later session should know, call add_memory (for your plan or yourself) or memory_store (for everybody); when what you know has changed, call memory_supersede. memory_recall finds what is known.";

/// The URI of the workspace context; those of plans and agents start with it.
const CONTEXT_URI: &str = "heirloom://context";

/// The selection of tools that are listed. Tools that are not listed can be called too.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ToolFilter {
    /// A group in addition to the core group.
    pub group: Option<Group>,
    /// Whether all groups are listed.
    pub all: bool,
}

impl ToolFilter {
    /// The words for the selections on the command line.
    pub const WORDS: [&'static str; 5] = ["core", "memory", "plans", "tasks", "all"];

    /// Parses one of the words.
    pub fn parse(word: &str) -> Option<Self> {
        let group = |group| Some(ToolFilter { group: Some(group), all: false });
        match word {
            "core" => Some(ToolFilter { group: None, all: false }),
            "memory" => group(Group::Memory),
            "plans" => group(Group::Plans),
            "tasks" => group(Group::Tasks),
            "all" => Some(ToolFilter { group: None, all: true }),
            _ => None,
        }
    }

    fn includes(self, op: &Op) -> bool {
        self.all || op.spec.group == Group::Core || self.group == Some(op.spec.group)
    }
}

/// Returns the tools of a selection.
pub fn tools(listing: ToolFilter) -> Vec<Tool> {
    OPS.iter().filter(|op| listing.includes(op)).map(tool).collect()
}

fn tool(op: &Op) -> Tool {
    let schema = match schema::simplify(&op.request_schema().to_value()) {
        Value::Object(map) => map,
        _ => Map::new(),
    };
    let annotations = ToolAnnotations::new()
        .read_only(op.spec.effect == Effect::Reads)
        .destructive(op.spec.effect == Effect::Removes);
    Tool::new(op.spec.name, op.spec.about, Arc::new(schema)).with_annotations(annotations)
}

/// What an answer of a tool contains. Clients differ in what they pass to the model if an answer has both: some pass
/// the JSON alone, which is two to three times as long as the text, others pass both.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum AnswerForm {
    /// The text that people see on the command line.
    Text,
    /// The text, and the same as structured content.
    TextAndData,
}

/// Why a server stopped.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum StopReason {
    /// The client disconnected.
    Disconnected,
    /// The process was asked to stop.
    Signal,
}

/// Serves MCP on standard input and output until the client disconnects or the process is asked to stop. Then the work
/// sessions of the client end.
pub async fn serve(
    open: SharedOpener,
    listing: ToolFilter,
    form: AnswerForm,
) -> Result<StopReason, String> {
    let client = Arc::new(Client::connected());
    let server = Server { open: open.clone(), client: client.clone(), listing, form };
    let (read, write) = rmcp::transport::stdio_pipes();
    let serve = async {
        let running = server.serve(JsonLines::new(read, write)).await;
        running.map_err(|error| error.to_string())?.waiting().await.map_err(|e| e.to_string())
    };
    let served = tokio::select! {
        served = serve => served.map(|_| StopReason::Disconnected),
        () = shutdown::requested() => Ok(StopReason::Signal),
    };
    let ended = end_sessions(open, client).await;
    served.and_then(|reason| ended.map(|()| reason))
}

/// Ends the work sessions that the client started and did not end.
async fn end_sessions(open: SharedOpener, client: Arc<Client>) -> Result<(), String> {
    if !client.has_work_sessions() {
        return Ok(());
    }
    let end = move || -> Result<(), String> {
        let session = open.open(Scope::Workspace).map_err(|error| error.message)?;
        let problems = end_sessions_of_client(&session.with_client(client));
        let messages: Vec<String> = problems.iter().map(ToString::to_string).collect();
        if messages.is_empty() { Ok(()) } else { Err(messages.join("; ")) }
    };
    tokio::task::spawn_blocking(end).await.unwrap_or_else(|error| Err(error.to_string()))
}

struct Server {
    open: SharedOpener,
    client: Arc<Client>,
    listing: ToolFilter,
    form: AnswerForm,
}

impl Server {
    /// Resolves a context as plain text.
    async fn context(&self, plan: Option<&str>, agent: Option<&str>) -> Result<String, Error> {
        let op = ops::by_name("context_resolve")
            .ok_or_else(|| Error::bad_input("the operation context_resolve is missing"))?;
        call(&self.open, &self.client, op, json!({"plan": plan, "agent": agent}), |reply| {
            reply.agent_view().plain(&format_hint)
        })
        .await
    }
}

impl ServerHandler for Server {
    fn get_info(&self) -> ServerConfig {
        let capabilities = ServerCapabilities::builder()
            .enable_tools()
            .enable_resources()
            .enable_prompts()
            .build();
        let mut config = ServerConfig::new(capabilities);
        config.server_info =
            Implementation::new("heirloom", env!("CARGO_PKG_VERSION")).with_title("Heirloom");
        config.instructions = Some(INSTRUCTIONS.to_owned());
        config
    }

    async fn list_tools(
        &self,
        _: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListToolsResult, ErrorData> {
        Ok(ListToolsResult::with_all_items(tools(self.listing)))
    }

    async fn call_tool(
        &self,
        request: CallToolRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        let Some(op) = ops::by_name(&request.name) else {
            return Err(ErrorData::invalid_params(
                format!("there is no tool `{}`", request.name),
                None,
            ));
        };
        let arguments = Value::Object(request.arguments.unwrap_or_default());
        let convert = match self.form {
            AnswerForm::Text => |reply: &Reply| (reply.agent_view().plain(&format_hint), None),
            AnswerForm::TextAndData => |reply: &Reply| {
                (reply.agent_view().plain(&format_hint), Some(reply.data(&format_hint)))
            },
        };
        self.client.introduce(client_name(&context));
        self.client.offer_model(|| sampling::model_of(&context));
        Ok(match call(&self.open, &self.client, op, arguments, convert).await {
            Ok((text, data)) => {
                let mut result = CallToolResult::success(vec![ContentBlock::text(text)]);
                result.structured_content = data;
                result.into()
            }
            Err(error) => {
                CallToolResult::error(vec![ContentBlock::text(format_error(&error))]).into()
            }
        })
    }

    async fn on_custom_request(
        &self,
        request: CustomRequest,
        _: RequestContext<RoleServer>,
    ) -> Result<CustomResult, ErrorData> {
        Err(malformed::explain(&request))
    }

    async fn list_resources(
        &self,
        _: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListResourcesResult, ErrorData> {
        let workspace = Resource::new(CONTEXT_URI, "workspace context")
            .with_description("What all work in this workspace inherits")
            .with_mime_type("text/markdown");
        Ok(ListResourcesResult::with_all_items(vec![workspace]))
    }

    async fn list_resource_templates(
        &self,
        _: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListResourceTemplatesResult, ErrorData> {
        let template = |uri: &str, name: &str, about: &str| {
            ResourceTemplate::new(uri, name).with_description(about).with_mime_type("text/markdown")
        };
        Ok(ListResourceTemplatesResult::with_all_items(vec![
            template(
                "heirloom://context/{plan}",
                "plan context",
                "What a plan inherits, by its name or number",
            ),
            template(
                "heirloom://context/{plan}/{agent}",
                "agent context",
                "What an agent of a plan inherits, by names or numbers",
            ),
        ]))
    }

    async fn read_resource(
        &self,
        request: ReadResourceRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<ReadResourceResponse, ErrorData> {
        let not_found = || {
            ErrorData::resource_not_found(
                format!(
                    "there is no resource `{}`; contexts have URIs such as {CONTEXT_URI}/PLAN/AGENT",
                    request.uri
                ),
                None,
            )
        };
        let rest = request.uri.strip_prefix(CONTEXT_URI).ok_or_else(not_found)?;
        let names: Vec<String> = rest.split('/').skip(1).map(percent_decode).collect();
        if names.len() > 2 || (!rest.is_empty() && !rest.starts_with('/')) {
            return Err(not_found());
        }
        let (plan, agent) = (names.first().map(String::as_str), names.get(1).map(String::as_str));
        self.client.introduce(client_name(&context));
        let resolved = self.context(plan, agent).await;
        let text =
            resolved.map_err(|error| ErrorData::resource_not_found(format_error(&error), None))?;
        let contents =
            ResourceContents::text(text, request.uri.clone()).with_mime_type("text/markdown");
        Ok(ReadResourceResult::new(vec![contents]).into())
    }

    async fn list_prompts(
        &self,
        _: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListPromptsResult, ErrorData> {
        Ok(ListPromptsResult::with_all_items(prompts::list()))
    }

    async fn get_prompt(
        &self,
        request: GetPromptRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<GetPromptResponse, ErrorData> {
        let (op, arguments, introduction) = prompts::find(&request.name, request.arguments)
            .map_err(|message| ErrorData::invalid_params(message, None))?;
        self.client.introduce(client_name(&context));
        let answer = call(&self.open, &self.client, op, arguments, |reply| {
            reply.agent_view().plain(&format_hint)
        })
        .await
        .map_err(|error| ErrorData::invalid_params(format_error(&error), None))?;
        let text =
            if introduction.is_empty() { answer } else { format!("{introduction}\n\n{answer}") };
        Ok(GetPromptResult::new(vec![PromptMessage::new_text(Role::User, text)]).into())
    }
}

/// Returns the name by which a client introduced itself.
fn client_name(context: &RequestContext<RoleServer>) -> Option<String> {
    let client = context.peer.peer_info()?;
    let name = client.client_info.name.trim();
    (!name.is_empty()).then(|| name.to_owned())
}

/// Formats an error with its candidates and hint.
fn format_error(error: &Error) -> String {
    let mut text = escape_unprintable(&error.message);
    if !error.candidates.is_empty() {
        text.push_str(&format!(
            "\ncandidates: {}",
            escape_unprintable(&error.candidates.join(", "))
        ));
    }
    if let Some(hint) = &error.hint {
        text.push_str(&format!("\nhint: {}", escape_unprintable(&format_hint(hint))));
    }
    text
}
