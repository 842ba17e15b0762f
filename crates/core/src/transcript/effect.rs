//! What a call does beyond files and commands: it keeps the agent's list, or asks the user.

use serde_json::Value;

use super::content;
use super::todos::Todo;

/// What a call does to the plan, or asks of the user.
pub(super) enum Effect {
    /// Nothing.
    None,
    /// Writes the whole list of things to do.
    Todos(Vec<Todo>),
    /// Adds one thing to do.
    NewTodo(String),
    /// Sets the state of one thing to do.
    TodoState { number: String, status: String },
    /// Asks questions: the key of each and its words.
    Ask(Vec<(String, String)>),
    /// Proposes a plan, whose words may be in the result only.
    Plan(String),
}

/// Returns what a call does, by the tool's name without case and separators.
pub(super) fn effect(plain_name: &str, input: &Value) -> Effect {
    let text = |key: &str| input[key].as_str().unwrap_or_default().to_owned();
    match plain_name {
        "todowrite" => Effect::Todos(todos(&input["todos"], "content")),
        "updateplan" => Effect::Todos(todos(&input["plan"], "step")),
        "taskcreate" => Effect::NewTodo(text("subject")),
        "taskupdate" => Effect::TodoState { number: text("taskId"), status: text("status") },
        "exitplanmode" => Effect::Plan(text("plan")),
        "askuserquestion" | "requestuserinput" => {
            let question = |asked: &Value| {
                let words = asked["question"].as_str()?;
                Some((asked["id"].as_str().unwrap_or(words).to_owned(), words.to_owned()))
            };
            Effect::Ask(content::array(&input["questions"]).iter().filter_map(question).collect())
        }
        _ => Effect::None,
    }
}

impl Effect {
    /// Returns what the user chose, by the result of the call.
    pub(super) fn chosen(&self, text: &str, detail: Option<&Value>) -> Vec<String> {
        match self {
            Effect::Ask(questions) => answers(questions, text, detail),
            Effect::Plan(plan) => {
                let kept = detail.and_then(|detail| detail["plan"].as_str()).unwrap_or_default();
                let approved = text.split_once("## Approved Plan:").map_or("", |(_, plan)| plan);
                let plans = [plan, kept, approved].into_iter().map(title_of);
                let title = plans.into_iter().find(|title| !title.is_empty());
                title.map(|title| format!("Accepted plan: {title}")).into_iter().collect()
            }
            _ => vec![],
        }
    }
}

fn todos(list: &Value, key: &str) -> Vec<Todo> {
    let todo = |item: &Value| {
        let text = item[key].as_str().or(item.as_str())?.trim();
        let status = item["status"].as_str().unwrap_or("pending");
        let dropped = text.is_empty() || matches!(status, "cancelled" | "deleted");
        (!dropped).then(|| Todo { text: text.to_owned(), done: status == "completed" })
    };
    content::array(list).iter().filter_map(todo).collect()
}

fn answers(questions: &[(String, String)], text: &str, detail: Option<&Value>) -> Vec<String> {
    let told: Option<Value> = serde_json::from_str(text).ok();
    let given = [detail, told.as_ref()].into_iter().flatten().map(|value| &value["answers"]);
    let Some(given) = given.into_iter().find(|given| given.is_object()) else {
        return quoted_answers(text);
    };
    let chosen = |(key, question): &(String, String)| {
        let answer = match &given[key.as_str()] {
            Value::Object(answer) => answer.get("answers").map(content::joined),
            answer => Some(content::joined(answer)),
        };
        let answer = answer.filter(|answer| !answer.is_empty())?;
        Some(format!("{question} → {answer}"))
    };
    questions.iter().filter_map(chosen).collect()
}

/// Reads `"question"="answer", "question"="answer"`.
fn quoted_answers(text: &str) -> Vec<String> {
    let mut chosen = vec![];
    let mut rest = text;
    while let Some((before, after)) = rest.split_once("\"=\"") {
        let question = before.rsplit_once('"').map_or(before, |(_, question)| question);
        let Some((answer, after)) = after.split_once('"') else { break };
        chosen.push(format!("{} → {}", question.trim(), answer.trim()));
        rest = after;
    }
    chosen
}

fn title_of(plan: &str) -> &str {
    let first = plan.lines().map(str::trim).find(|line| !line.is_empty()).unwrap_or("");
    let title = first.trim_start_matches('#').trim();
    title.strip_prefix("Plan:").unwrap_or(title).trim()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn answers_are_read_from_the_text_where_nothing_else_holds_them() {
        assert_eq!(
            quoted_answers("The user answered: \"Which one?\"=\"The first\", \"Why?\"=\"Speed\"."),
            ["Which one? → The first", "Why? → Speed"]
        );
    }
}
