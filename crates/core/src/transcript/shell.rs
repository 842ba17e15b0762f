//! What a shell command is about, as far as its words say: what it reads and what it commits.

/// Longest part of a command that is looked at; the rest is a script or a file that it writes.
const LOOKED_AT: usize = 16 * 1024;

/// Commands that only look at things.
const LOOKING: &[&str] = &[
    "cat", "cd", "echo", "fd", "file", "find", "grep", "head", "jq", "less", "ls", "nl", "pwd",
    "rg", "sed", "sort", "stat", "tail", "tree", "true", "uniq", "wc", "which",
];

/// Subcommands of git that only look at things.
const GIT_LOOKING: &[&str] =
    &["blame", "branch", "diff", "log", "ls-files", "remote", "rev-parse", "show", "status"];

/// What a command that changes nothing looks at.
pub(super) enum Look {
    /// The contents of these files.
    Files(Vec<String>),
    /// Anything else.
    Around,
}

/// Returns what a command looks at, when it does nothing else.
pub(super) fn look(command: &str) -> Option<Look> {
    let parts = parts(command);
    if parts.is_empty() || !parts.iter().all(|words| only_looks(words)) {
        return None;
    }
    let files: Vec<String> = parts.iter().flat_map(|words| files_shown(words)).collect();
    Some(if files.is_empty() { Look::Around } else { Look::Files(files) })
}

/// Returns the subject of the commit that a command makes: empty when the command does not say it.
pub(super) fn commit_subject(command: &str) -> Option<String> {
    let parts = parts(command);
    let words = parts.iter().find_map(|words| git(words).filter(|words| words[0] == "commit"))?;
    let mut message = "";
    for (at, word) in words.iter().enumerate() {
        let next = words.get(at + 1).map_or("", String::as_str);
        message = match word.as_str() {
            "--message" => next,
            word if word.starts_with("--message=") => &word["--message=".len()..],
            word if word.starts_with("--") || !word.starts_with('-') => continue,
            word => match word.split_once('m') {
                Some((_, "")) => next,
                Some((_, attached)) => attached,
                None => continue,
            },
        };
        break;
    }
    let here_document = message.starts_with("$(cat <<");
    let mut lines = message.lines().skip(usize::from(here_document)).map(str::trim);
    Some(lines.find(|line| !line.is_empty()).unwrap_or("").to_owned())
}

/// Returns the commit that git reports in its output: `[main 1a2b3c4] Subject` is `1a2b3c4 Subject`.
pub(super) fn commit_shown(output: &str) -> Option<String> {
    output.lines().find_map(|line| {
        let (head, subject) = line.trim().strip_prefix('[')?.split_once("] ")?;
        let hash = head.rsplit(' ').next()?;
        let is_hash = hash.len() >= 7 && hash.bytes().all(|byte| byte.is_ascii_hexdigit());
        (is_hash && head.contains(' ')).then(|| format!("{hash} {subject}"))
    })
}

/// Returns a command as a person would name it: its first line, without the change of folder.
pub(super) fn named(command: &str) -> &str {
    let mut line = command.lines().find(|line| !line.trim().is_empty()).unwrap_or("").trim();
    while let Some((_, rest)) = line.strip_prefix("cd ").and_then(|rest| rest.split_once("&&")) {
        line = rest.trim_start();
    }
    line
}

fn only_looks(words: &[String]) -> bool {
    let writes = words.iter().any(|word| word.contains('>') && !word.contains("/dev/null"));
    let looks = match git(words) {
        Some(words) => GIT_LOOKING.contains(&words[0].as_str()),
        None => LOOKING.contains(&words[0].as_str()),
    };
    looks && !writes && !words.iter().any(|word| word.starts_with("-i") && words[0] == "sed")
}

fn files_shown(words: &[String]) -> Vec<String> {
    let skipped = match words[0].as_str() {
        "cat" | "head" | "tail" | "nl" | "less" => 0,
        "sed" => 1,
        _ => return vec![],
    };
    let is_file = |word: &&String| {
        !word.contains(['*', '$', '<', '>', '&']) && word.contains(['.', '/']) && *word != "."
    };
    let named = words[1..].iter().filter(|word| !word.starts_with('-')).skip(skipped);
    named.filter(is_file).cloned().collect()
}

/// Returns the words from git's subcommand on.
fn git(words: &[String]) -> Option<&[String]> {
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

/// Splits a line of commands into the words of each, as a shell does with quotes.
fn parts(command: &str) -> Vec<Vec<String>> {
    let mut parts = vec![vec![]];
    let mut word: Option<String> = None;
    let mut chars = head(command).chars().peekable();
    let mut end = |word: &mut Option<String>, part_too: bool| {
        if let (Some(word), Some(part)) = (word.take(), parts.last_mut()) {
            part.push(word);
        }
        if part_too {
            parts.push(vec![]);
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
            '&' if word.as_ref().is_some_and(|word| word.ends_with('>')) => {
                word.get_or_insert_default().push(c);
            }
            ';' | '|' | '&' | '\n' => end(&mut word, true),
            c if c.is_whitespace() => end(&mut word, false),
            c => word.get_or_insert_default().push(c),
        }
    }
    end(&mut word, false);
    parts.retain(|words| !words.is_empty());
    parts
}

fn head(command: &str) -> &str {
    let mut end = command.len().min(LOOKED_AT);
    while !command.is_char_boundary(end) {
        end -= 1;
    }
    &command[..end]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_subject_of_a_commit_is_found() {
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
    fn the_output_of_git_names_the_commit() {
        assert_eq!(
            commit_shown("x\n[main (root-commit) 1a2b3c4] Fix it\n 1 file changed").as_deref(),
            Some("1a2b3c4 Fix it")
        );
        assert_eq!(commit_shown("[note] nothing\n[1a2b3c4] x"), None);
    }

    #[test]
    fn commands_that_only_look_are_told_apart() {
        let files = |command| match look(command) {
            Some(Look::Files(files)) => files.join(" "),
            Some(Look::Around) => "around".to_owned(),
            None => "none".to_owned(),
        };
        assert_eq!(files("cd x && sed -n '1,20p' src/a.rs"), "src/a.rs");
        assert_eq!(files("cat a.md 2>/dev/null | head -5"), "a.md");
        assert_eq!(files("rg -n foo src; git status"), "around");
        assert_eq!(files("cat > a.md"), "none");
        assert_eq!(files("sed -i s/a/b/ a.md"), "none");
        assert_eq!(files("cargo test 2>&1 | tail -5"), "none");
        assert_eq!(files(""), "none");
    }

    #[test]
    fn a_command_is_named_without_its_folder() {
        assert_eq!(named("\ncd /x && cd y && cargo test\nmore"), "cargo test");
        assert_eq!(named("cd x"), "cd x");
    }
}
