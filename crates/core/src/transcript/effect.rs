//! Effects of a tool call on the agent's todo list, and the questions that it asks the user.

use serde_json::Value;

use super::content;
use super::model::Todo;

/// The effect of a tool call beyond files and commands.
pub(super) enum ToolEffect {
    None,
    /// Replaces the whole todo list.
    ReplaceTodos(Vec<Todo>),
    /// Adds an entry to the todo list.
    AddTodo(String),
    /// Sets the status of the todo list's entry with this number.
    SetTodoStatus {
        number: String,
        status: String,
    },
    /// Asks the user.
    AskUser(Vec<UserQuestion>),
    /// Proposes a plan to the user. The text may be empty and given in the result only.
    ProposePlan(String),
}

/// A question to the user.
pub(super) struct UserQuestion {
    /// The key of the answer in the result.
    key: String,
    pub(super) text: String,
}

/// Returns the effect of a call. `normalized_name` is the tool's name in lower case and without
/// separators.
pub(super) fn effect_of(normalized_name: &str, input: &Value) -> ToolEffect {
    let text = |key: &str| input[key].as_str().unwrap_or_default().to_owned();
    match normalized_name {
        "todowrite" => ToolEffect::ReplaceTodos(parse_todos(&input["todos"], "content")),
        "updateplan" => ToolEffect::ReplaceTodos(parse_todos(&input["plan"], "step")),
        "taskcreate" => ToolEffect::AddTodo(text("subject")),
        "taskupdate" => {
            ToolEffect::SetTodoStatus { number: text("taskId"), status: text("status") }
        }
        "exitplanmode" => ToolEffect::ProposePlan(text("plan")),
        "askuserquestion" | "requestuserinput" => {
            let questions = content::array_items(&input["questions"]);
            ToolEffect::AskUser(questions.iter().filter_map(parse_question).collect())
        }
        _ => ToolEffect::None,
    }
}

impl ToolEffect {
    /// Returns the choices of the user that the result of the call contains.
    pub(super) fn user_choices(&self, text: &str, structured: Option<&Value>) -> Vec<String> {
        match self {
            ToolEffect::AskUser(questions) => answers(questions, text, structured),
            ToolEffect::ProposePlan(plan) => {
                let stored = structured.and_then(|result| result["plan"].as_str());
                let approved = text.split_once("## Approved Plan:").map_or("", |(_, plan)| plan);
                let mut titles =
                    [plan, stored.unwrap_or_default(), approved].into_iter().map(plan_title);
                let title = titles.find(|title| !title.is_empty());
                title.map(|title| format!("Accepted plan: {title}")).into_iter().collect()
            }
            _ => vec![],
        }
    }
}

fn parse_question(question: &Value) -> Option<UserQuestion> {
    let text = question["question"].as_str()?;
    let key = question["id"].as_str().unwrap_or(text);
    Some(UserQuestion { key: key.to_owned(), text: text.to_owned() })
}

fn parse_todos(list: &Value, text_key: &str) -> Vec<Todo> {
    let parse = |item: &Value| {
        let text = item[text_key].as_str().or(item.as_str())?.trim();
        let status = item["status"].as_str().unwrap_or("pending");
        let removed = text.is_empty() || matches!(status, "cancelled" | "deleted");
        (!removed).then(|| Todo { text: text.to_owned(), done: status == "completed" })
    };
    content::array_items(list).iter().filter_map(parse).collect()
}

/// Returns `question → answer` for each answered question. The answers are in the structured
/// result, in a result text that is JSON, or quoted in the result text.
fn answers(questions: &[UserQuestion], text: &str, structured: Option<&Value>) -> Vec<String> {
    let parsed_text: Option<Value> = serde_json::from_str(text).ok();
    let results = [structured, parsed_text.as_ref()].into_iter().flatten();
    let mut candidates = results.map(|result| &result["answers"]);
    let Some(answers) = candidates.find(|answers| answers.is_object()) else {
        return quoted_answers(text);
    };
    let choice = |question: &UserQuestion| {
        let answer = match &answers[question.key.as_str()] {
            Value::Object(answer) => answer.get("answers").map(content::comma_separated),
            answer => Some(content::comma_separated(answer)),
        };
        let answer = answer.filter(|answer| !answer.is_empty())?;
        Some(format!("{} → {answer}", question.text))
    };
    questions.iter().filter_map(choice).collect()
}

/// Parses `"question"="answer", "question"="answer"`.
fn quoted_answers(text: &str) -> Vec<String> {
    let mut choices = vec![];
    let mut rest = text;
    while let Some((before, after)) = rest.split_once("\"=\"") {
        let question = before.rsplit_once('"').map_or(before, |(_, question)| question);
        let Some((answer, after)) = after.split_once('"') else { break };
        choices.push(format!("{} → {}", question.trim(), answer.trim()));
        rest = after;
    }
    choices
}

/// Returns the first line of a plan without its heading markup.
fn plan_title(plan: &str) -> &str {
    let first = plan.lines().map(str::trim).find(|line| !line.is_empty()).unwrap_or("");
    let title = first.trim_start_matches('#').trim();
    title.strip_prefix("Plan:").unwrap_or(title).trim()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn answers_are_parsed_from_quoted_text() {
        assert_eq!(
            quoted_answers("The user answered: \"Which one?\"=\"The first\", \"Why?\"=\"Speed\"."),
            ["Which one? → The first", "Why? → Speed"]
        );
    }
}
