//! Modules of TypeScript and JavaScript.

use super::SCRIPT_EXTENSIONS;
use super::files::{Alias, SourceFiles, join};
use crate::path;

/// Returns the file that an import means: a path, a name with an alias in `tsconfig.json`, or a package of the
/// repository.
pub(super) fn find(files: &SourceFiles<'_>, path: &str, name: &str) -> Vec<u32> {
    let found = match name.starts_with('.') {
        true => path::resolve_link(path, name).and_then(|path| module(files, &path)),
        false => by_alias(files, path, name).or_else(|| by_package(files, name)),
    };
    found.into_iter().collect()
}

/// Returns the file of a module: with its extension, without it, or the index of a folder.
fn module(files: &SourceFiles<'_>, path: &str) -> Option<u32> {
    let path = path.trim_end_matches('/');
    let with_extension =
        |path: &str| SCRIPT_EXTENSIONS.map(|extension| format!("{path}.{extension}"));
    let index = || with_extension(&join(path, "index"));
    // TypeScript imports `a.ts` as `./a.js`.
    let compiled = |extension: &str| path.strip_suffix(extension).map(with_extension);
    files
        .number(path)
        .or_else(|| files.first(with_extension(path)))
        .or_else(|| {
            [".js", ".jsx", ".mjs", ".cjs"].iter().find_map(|end| files.first(compiled(end)?))
        })
        .or_else(|| files.first(index()))
}

fn by_alias(files: &SourceFiles<'_>, path: &str, name: &str) -> Option<u32> {
    let applies =
        |alias: &&Alias<'_>| alias.folder.is_empty() || path::is_within(path, alias.folder);
    let mut aliases: Vec<&Alias<'_>> = files.aliases.iter().filter(applies).collect();
    // The nearest configuration decides.
    aliases.sort_by_key(|alias| std::cmp::Reverse(alias.folder.len()));
    aliases.into_iter().find_map(|alias| {
        let target = match alias.pattern.split_once('*') {
            Some((start, end)) => {
                let inner = name.strip_prefix(start)?.strip_suffix(end)?;
                alias.target.replacen('*', inner, 1)
            }
            None => (name == alias.pattern).then(|| alias.target.to_owned())?,
        };
        let manifest = join(alias.folder, "tsconfig.json");
        module(files, &path::resolve_link(&manifest, &target)?)
    })
}

fn by_package(files: &SourceFiles<'_>, name: &str) -> Option<u32> {
    let ends = name.match_indices('/').map(|(end, _)| end).chain([name.len()]);
    let mut ends: Vec<usize> = ends.collect();
    ends.reverse();
    let (folder, rest) = ends.into_iter().find_map(|end| {
        let folder = files.node_packages.get(&name[..end])?;
        Some((*folder, name[end..].trim_start_matches('/')))
    })?;
    let sources = [join(folder, "src"), folder.to_owned()];
    sources.iter().find_map(|source| module(files, &join(source, rest)))
}
