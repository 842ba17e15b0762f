//! Recognises shell commands that only read files and commands that make a git commit.

/// Only the beginning of a command is parsed; the rest is a script or a file that it writes.
const MAX_PARSED_BYTES: usize = 16 * 1024;

/// Commands that change nothing.
const READ_ONLY_COMMANDS: &[&str] = &[
    "cat", "cd", "echo", "fd", "file", "find", "grep", "head", "jq", "less", "ls", "nl", "pwd",
    "rg", "sed", "sort", "stat", "tail", "tree", "true", "uniq", "wc", "which",
];

/// Subcommands of git that change nothing.
const READ_ONLY_GIT_SUBCOMMANDS: &[&str] =
    &["blame", "branch", "diff", "log", "ls-files", "remote", "rev-parse", "show", "status"];

/// A command line that changes nothing.
pub(super) enum ReadOnlyCommand {
    /// Shows the content of these files.
    ShowsFiles(Vec<String>),
    /// Lists or searches.
    Searches,
}

/// Parses a command line; returns `None` if it may change something.
pub(super) fn parse_read_only(command_line: &str) -> Option<ReadOnlyCommand> {
    let commands = split_commands(command_line);
    if commands.is_empty() || !commands.iter().all(|words| is_read_only(words)) {
        return None;
    }
    let files: Vec<String> = commands.iter().flat_map(|words| files_shown(words)).collect();
    let shows_files = !files.is_empty();
    Some(if shows_files { ReadOnlyCommand::ShowsFiles(files) } else { ReadOnlyCommand::Searches })
}

/// Returns the subject of the commit that a command line makes. It is empty if the message is not
/// given on the command line.
pub(super) fn commit_subject(command_line: &str) -> Option<String> {
    let commands = split_commands(command_line);
    let words = commands
        .iter()
        .find_map(|words| git_subcommand(words).filter(|words| words[0] == "commit"))?;
    let message = commit_message(words);
    let is_here_document = message.starts_with("$(cat <<");
    let mut lines = message.lines().skip(usize::from(is_here_document)).map(str::trim);
    Some(lines.find(|line| !line.is_empty()).unwrap_or("").to_owned())
}

/// Returns the first message among the arguments of `git commit`: `-m text`, `-mtext`, `-am text`,
/// `--message text` or `--message=text`.
fn commit_message(words: &[String]) -> &str {
    for (at, word) in words.iter().enumerate() {
        let next = words.get(at + 1).map_or("", String::as_str);
        return match word.as_str() {
            "--message" => next,
            word if word.starts_with("--message=") => &word["--message=".len()..],
            word if word.starts_with("--") || !word.starts_with('-') => continue,
            word => match word.split_once('m') {
                Some((_, "")) => next,
                Some((_, attached)) => attached,
                None => continue,
            },
        };
    }
    ""
}

/// Returns the commit that git reports in its output: `1a2b3c4 Subject` for
/// `[main 1a2b3c4] Subject`.
pub(super) fn commit_in_output(output: &str) -> Option<String> {
    output.lines().find_map(|line| {
        let (head, subject) = line.trim().strip_prefix('[')?.split_once("] ")?;
        let hash = head.rsplit(' ').next()?;
        let is_hash = hash.len() >= 7 && hash.bytes().all(|byte| byte.is_ascii_hexdigit());
        (is_hash && head.contains(' ')).then(|| format!("{hash} {subject}"))
    })
}

/// Returns a short form of a command line: its first line without leading `cd … &&`.
pub(super) fn short_form(command_line: &str) -> &str {
    let mut line = command_line.lines().find(|line| !line.trim().is_empty()).unwrap_or("").trim();
    while let Some((_, rest)) = line.strip_prefix("cd ").and_then(|rest| rest.split_once("&&")) {
        line = rest.trim_start();
    }
    line
}

fn is_read_only(words: &[String]) -> bool {
    let redirects = words.iter().any(|word| word.contains('>') && !word.contains("/dev/null"));
    let edits_in_place = words[0] == "sed" && words.iter().any(|word| word.starts_with("-i"));
    let is_known = match git_subcommand(words) {
        Some(words) => READ_ONLY_GIT_SUBCOMMANDS.contains(&words[0].as_str()),
        None => READ_ONLY_COMMANDS.contains(&words[0].as_str()),
    };
    is_known && !redirects && !edits_in_place
}

fn files_shown(words: &[String]) -> Vec<String> {
    let leading_arguments = match words[0].as_str() {
        "cat" | "head" | "tail" | "nl" | "less" => 0,
        "sed" => 1,
        _ => return vec![],
    };
    let is_file = |word: &&String| {
        !word.contains(['*', '$', '<', '>', '&']) && word.contains(['.', '/']) && *word != "."
    };
    let arguments = words[1..].iter().filter(|word| !word.starts_with('-'));
    arguments.skip(leading_arguments).filter(is_file).cloned().collect()
}

/// Returns the words of a git command from the subcommand on.
fn git_subcommand(words: &[String]) -> Option<&[String]> {
    let (first, mut rest) = words.split_first()?;
    if first != "git" {
        return None;
    }
    while let [option, after @ ..] = rest {
        match option.as_str() {
            "-C" | "-c" => rest = after.get(1..)?,
            option if option.starts_with('-') => rest = after,
            _ => return Some(rest),
        }
    }
    None
}

/// Splits a command line into commands and each command into words, respecting a shell's quotes.
fn split_commands(command_line: &str) -> Vec<Vec<String>> {
    let mut commands = vec![vec![]];
    let mut word: Option<String> = None;
    let mut chars = parsed_part(command_line).chars();
    let mut end_word = |word: &mut Option<String>, ends_command: bool| {
        if let (Some(word), Some(words)) = (word.take(), commands.last_mut()) {
            words.push(word);
        }
        if ends_command {
            commands.push(vec![]);
        }
    };
    while let Some(c) = chars.next() {
        match c {
            '\'' | '"' => {
                let word = word.get_or_insert_default();
                while let Some(inner) = chars.next().filter(|&inner| inner != c) {
                    let escaped = inner == '\\' && c == '"';
                    word.extend(if escaped { chars.next() } else { Some(inner) });
                }
            }
            '\\' => word.get_or_insert_default().extend(chars.next().filter(|&next| next != '\n')),
            // `2>&1` does not end the command.
            '&' if word.as_ref().is_some_and(|word| word.ends_with('>')) => {
                word.get_or_insert_default().push(c);
            }
            ';' | '|' | '&' | '\n' => end_word(&mut word, true),
            c if c.is_whitespace() => end_word(&mut word, false),
            c => word.get_or_insert_default().push(c),
        }
    }
    end_word(&mut word, false);
    commands.retain(|words| !words.is_empty());
    commands
}

fn parsed_part(command_line: &str) -> &str {
    &command_line[..command_line.floor_char_boundary(MAX_PARSED_BYTES)]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_subject_of_a_commit_is_parsed() {
        for (command, subject) in [
            ("git commit -m \"Fix it\"", Some("Fix it")),
            ("cd /x && git add -A && git -C y commit -am 'Fix it'", Some("Fix it")),
            ("git commit --message='Fix it; now' -m body", Some("Fix it; now")),
            ("git commit -m \"$(cat <<'EOF'\nFix it\n\nBecause.\nEOF\n)\"", Some("Fix it")),
            ("git commit --amend --no-edit", Some("")),
            ("echo git commit", None),
            ("git log --grep commit", None),
        ] {
            assert_eq!(commit_subject(command).as_deref(), subject, "{command}");
        }
    }

    #[test]
    fn the_commit_is_read_from_the_output_of_git() {
        assert_eq!(
            commit_in_output("x\n[main (root-commit) 1a2b3c4] Fix it\n 1 file changed").as_deref(),
            Some("1a2b3c4 Fix it")
        );
        assert_eq!(commit_in_output("[note] nothing\n[1a2b3c4] x"), None);
    }

    #[test]
    fn read_only_commands_are_recognised() {
        let describe = |command| match parse_read_only(command) {
            Some(ReadOnlyCommand::ShowsFiles(files)) => files.join(" "),
            Some(ReadOnlyCommand::Searches) => "searches".to_owned(),
            None => "may write".to_owned(),
        };
        assert_eq!(describe("cd x && sed -n '1,20p' src/a.rs"), "src/a.rs");
        assert_eq!(describe("cat a.md 2>/dev/null | head -5"), "a.md");
        assert_eq!(describe("rg -n foo src; git status"), "searches");
        assert_eq!(describe("cat > a.md"), "may write");
        assert_eq!(describe("sed -i s/a/b/ a.md"), "may write");
        assert_eq!(describe("cargo test 2>&1 | tail -5"), "may write");
        assert_eq!(describe(""), "may write");
    }

    #[test]
    fn the_short_form_has_no_change_of_directory() {
        assert_eq!(short_form("\ncd /x && cd y && cargo test\nmore"), "cargo test");
        assert_eq!(short_form("cd x"), "cd x");
    }
}
