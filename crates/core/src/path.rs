//! Paths relative to the root, separated by `/`.

/// Returns the folder of a path.
pub fn folder(path: &str) -> &str {
    path.rsplit_once('/').map_or("", |(folder, _)| folder)
}

/// Returns the last component of a path.
pub fn file_name(path: &str) -> &str {
    path.rsplit('/').next().unwrap_or(path)
}

/// Returns a file's name without its extension.
pub fn stem(path: &str) -> &str {
    let file = file_name(path);
    file.rsplit_once('.').map_or(file, |(stem, _)| stem)
}

/// Returns whether a file is reStructuredText, by its extension.
pub fn is_restructured_text(path: &str) -> bool {
    let extension = file_name(path).rsplit_once('.').map(|(_, extension)| extension);
    extension.is_some_and(|extension| extension.eq_ignore_ascii_case("rst"))
}

/// Returns whether a path is the folder itself or is below it.
pub fn is_within(path: &str, folder: &str) -> bool {
    path.strip_prefix(folder).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
}

/// Resolves a relative link against the folder of a document; `None` if it leads out of the root.
pub fn resolve_link(from: &str, link: &str) -> Option<String> {
    let mut parts: Vec<&str> = folder(from).split('/').filter(|part| !part.is_empty()).collect();
    for part in link.split('/') {
        match part {
            "" | "." => {}
            ".." => drop(parts.pop()?),
            part => parts.push(part),
        }
    }
    Some(parts.join("/"))
}

/// Returns the relative link that leads from one document to another.
pub(crate) fn relative_link(from: &str, to: &str) -> String {
    let from: Vec<&str> = from.split('/').collect();
    let to: Vec<&str> = to.split('/').collect();
    let common =
        from[..from.len() - 1].iter().zip(&to[..to.len() - 1]).take_while(|(a, b)| a == b).count();
    let up = std::iter::repeat_n("..", from.len() - 1 - common);
    up.chain(to[common..].iter().copied()).collect::<Vec<_>>().join("/")
}

/// Returns the path of a `file://` URL, which may name the local host and contain percent escapes.
pub fn from_file_url(url: &str) -> Option<String> {
    let location = url.strip_prefix("file://")?;
    let path = percent_decode(location.strip_prefix("localhost").unwrap_or(location));
    // On Windows, a slash precedes the drive: `file:///C:/talk.txt`.
    let is_drive = path.get(1..3).is_some_and(|drive| {
        drive.starts_with(|c: char| c.is_ascii_alphabetic()) && drive.ends_with(':')
    });
    Some(if is_drive { path[1..].to_owned() } else { path })
}

/// Decodes the percent escapes of a URI; returns the input if the result is not UTF-8.
pub fn percent_decode(path: &str) -> String {
    let bytes = path.as_bytes();
    let mut out = Vec::with_capacity(bytes.len());
    let mut offset = 0;
    while offset < bytes.len() {
        let escaped = (bytes[offset] == b'%')
            .then(|| path.get(offset + 1..offset + 3))
            .flatten()
            .and_then(|hex| u8::from_str_radix(hex, 16).ok());
        out.push(escaped.unwrap_or(bytes[offset]));
        offset += if escaped.is_some() { 3 } else { 1 };
    }
    String::from_utf8(out).unwrap_or_else(|_| path.to_owned())
}

/// The names of files that a folder may have one of each, and that say nothing about their content.
const COMMON_FILE_NAMES: [&str; 5] = ["readme", "index", "plan", "context", "agent"];

/// Returns what a path calls a document, as words: `use paper trail` for `ADR/ADR017-use-paper-trail.md`. A file that is
/// called like many others (`README.md`) has the name of its folder.
pub fn name_in_words(path: &str) -> String {
    let mut parts = path.rsplit('/').map(|part| part.split('.').next().unwrap_or_default());
    let is_common = |name: &&str| COMMON_FILE_NAMES.contains(&name.to_lowercase().as_str());
    let name = parts.find(|name| !is_common(name)).unwrap_or_default();
    let has_digit = |word: &&str| word.contains(|c: char| c.is_ascii_digit());
    let words = name.split(['-', '_', ' ']).filter(|word| !has_digit(word));
    words.collect::<Vec<_>>().join(" ")
}

/// A shorter name of a file, without its extension, is that of many files, such as `index` and `mod`.
const MIN_DISTINCTIVE_NAME: usize = 6;

/// Longer names that many files have, too.
const COMMON_NAMES: [&str; 7] =
    ["changelog", "config", "dockerfile", "license", "makefile", "package", "readme"];

/// Returns whether a text names a file: its path, its name if that is not one that many files have, or the class or module
/// that languages keep in a file of that name (`user_access.rb`: `UserAccess`, `reports/repository.rb`:
/// `Reports::Repository`).
pub fn is_named_in(path: &str, text: &str) -> bool {
    let (path, text) = (path.to_lowercase(), text.to_lowercase());
    let (folder, name) = path.rsplit_once('/').unwrap_or(("", &path));
    let folder = folder.rsplit('/').next().unwrap_or_default();
    let stem = name.split('.').next().unwrap_or_default();
    let joined: String = stem.split(['-', '_']).collect();
    let is_distinctive =
        |stem: &str| stem.len() >= MIN_DISTINCTIVE_NAME && !COMMON_NAMES.contains(&stem);
    let has_parts = joined.len() < stem.len();
    let has_extension = stem.len() < name.len();
    let is_module = || !folder.is_empty() && text.contains(&format!("{folder}::{joined}"));
    text.contains(&path)
        || is_distinctive(stem) && has_extension && text.contains(name)
        || is_distinctive(stem) && has_parts && (text.contains(stem) || text.contains(&joined))
        || is_module()
}

/// Returns a path relative to a folder, which ends in a slash or is empty: `../b` for `a/b` and `a/c/`.
pub fn relative_to(folder: &str, path: &str) -> String {
    if let Some(inside) = path.strip_prefix(folder) {
        return inside.to_owned();
    }
    let common = folder.split_inclusive('/').zip(path.split_inclusive('/'));
    let common: usize = common.take_while(|(a, b)| a == b).map(|(part, _)| part.len()).sum();
    let up = folder[common..].matches('/').count();
    format!("{}{}", "../".repeat(up), &path[common..])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_are_relative_to_a_folder() {
        assert_eq!(relative_to("", "a/b"), "a/b");
        assert_eq!(relative_to("a/", "a/b"), "b");
        assert_eq!(relative_to("a/c/", "a/b"), "../b");
        assert_eq!(relative_to("a/c/", "d"), "../../d");
    }

    #[test]
    fn a_text_names_a_file_by_its_path_its_name_or_what_it_defines() {
        assert!(is_named_in("models/user_access.rb", "UserAccess decides who sees a region."));
        assert!(is_named_in("reports/repository.rb", "Reports::Repository caches for a day."));
        assert!(!is_named_in("models/user_access.rb", "Access of a user ends after a day."));
        assert!(!is_named_in("models/repository.rb", "Reports::Repository caches for a day."));
        assert!(!is_named_in("tasks/transcription", "The transcription of a page takes long."));
        assert!(!is_named_in("viewer/README.md", "Each folder has a README.md."));
        assert!(is_named_in("src/parser.rs", "See src/parser.rs."));
        assert!(is_named_in("src/parser.rs", "parser.rs is slow"));
        assert!(is_named_in("src/line_origins.rs", "line_origins are runs"));
        assert!(!is_named_in("src/parser.rs", "the parser"));
        assert!(!is_named_in("src/lib.rs", "lib.rs"));
    }

    #[test]
    fn a_file_url_is_decoded() {
        for (url, path) in [
            ("file:///w/my%20talk.txt", "/w/my talk.txt"),
            ("file://localhost/w/talk.txt", "/w/talk.txt"),
            ("file:///C:/Users/Ada%20L/talk.txt", "C:/Users/Ada L/talk.txt"),
        ] {
            assert_eq!(from_file_url(url).as_deref(), Some(path));
        }
        assert_eq!(from_file_url("/w/talk.txt"), None);
    }

    #[test]
    fn the_case_of_an_extension_does_not_matter() {
        assert!(is_restructured_text("docs/0001-x.rst") && is_restructured_text("0001-x.RST"));
        assert!(!is_restructured_text("x.rst/0001-x.md") && !is_restructured_text("rst"));
    }

    #[test]
    fn links_out_of_the_root_are_refused() {
        assert_eq!(resolve_link("a/b/c.md", "../d.md").as_deref(), Some("a/d.md"));
        assert_eq!(resolve_link("a.md", "../d.md"), None);
    }

    #[test]
    fn a_relative_link_resolves_to_its_target() {
        for (from, to) in
            [("a/b.md", "a/c.md"), ("a/b.md", "d/e/c.md"), ("b.md", "c.md"), ("a/b/c.md", "d.md")]
        {
            assert_eq!(resolve_link(from, &relative_link(from, to)).as_deref(), Some(to));
        }
    }

    #[test]
    fn a_document_is_called_by_its_file_or_folder() {
        assert_eq!(name_in_words("ADR/ADR017-use-paper-trail.md"), "use paper trail");
        assert_eq!(name_in_words("keps/sig-apps/2255-pod-cost/README.md"), "pod cost");
        assert_eq!(name_in_words("notes.md"), "notes");
        assert_eq!(name_in_words("README.md"), "");
    }
}
