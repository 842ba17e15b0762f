//! Recognises the speaker of a message that begins with a name: `user: …`.

/// The side of a conversation with an assistant.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Speaker {
    /// The person.
    Person,
    /// The assistant.
    Assistant,
}

const PERSONS: &[&str] = &["user", "human", "person", "customer", "me"];

const ASSISTANTS: &[&str] =
    &["assistant", "agent", "ai", "bot", "claude", "codex", "chatgpt", "gpt", "copilot", "model"];

/// Splits the name of the speaker off a message. `None` if it begins with no such name.
pub fn split_speaker(text: &str) -> (Option<Speaker>, &str) {
    let Some((name, message)) = text.split_once(':') else { return (None, text) };
    let is_one_of = |names: &[&str]| names.iter().any(|one| one.eq_ignore_ascii_case(name.trim()));
    let speaker = if is_one_of(PERSONS) {
        Speaker::Person
    } else if is_one_of(ASSISTANTS) {
        Speaker::Assistant
    } else {
        return (None, text);
    };
    (Some(speaker), message.trim_start())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_name_of_a_speaker_is_split_off() {
        assert_eq!(split_speaker("User: hi: there"), (Some(Speaker::Person), "hi: there"));
        assert_eq!(split_speaker("assistant:ok"), (Some(Speaker::Assistant), "ok"));
        for text in ["Ada: hi", "no colon", "The user: hi", ""] {
            assert_eq!(split_speaker(text), (None, text));
        }
    }
}
