//! The packages that `peers install` has installed.

use std::fs;
use std::path::{Path, PathBuf, absolute};

use serde_json::Value;

fn install_hint(folder: &Path) -> String {
    format!("run `heirloom-bench peers install --dir {}`", folder.display())
}

/// Returns the path of an npm package, or why it is not available.
pub(super) fn node_package(folder: &Path, package: &str, version: &str) -> Result<PathBuf, String> {
    let path = folder.join("node_modules").join(package);
    let manifest = path.join("package.json");
    let Ok(text) = fs::read_to_string(&manifest) else {
        return Err(format!(
            "{package} is not installed in {}; {}",
            folder.display(),
            install_hint(folder)
        ));
    };
    let manifest: Value = serde_json::from_str(&text).unwrap_or_default();
    let installed = manifest["version"].as_str().unwrap_or("of unknown version");
    if installed != version {
        let hint = install_hint(folder);
        return Err(format!("the installed {package} is {installed}, not {version}; {hint}"));
    }
    absolute(path).map_err(|error| error.to_string())
}

/// Returns the folder of a Python package's virtual environment.
pub(super) fn python_folder(folder: &Path, package: &str) -> PathBuf {
    folder.join("python").join(package)
}

/// Returns the path of a Python package's program, or why it is not available.
pub(super) fn python_program(
    folder: &Path,
    package: &str,
    version: &str,
    program: &str,
) -> Result<PathBuf, String> {
    let environment = python_folder(folder, package);
    let path = environment.join("bin").join(program);
    let metadata = format!("{}-{version}.dist-info", package.replace('-', "_"));
    let libraries = fs::read_dir(environment.join("lib")).into_iter().flatten().flatten();
    let is_pinned = libraries
        .into_iter()
        .any(|library| library.path().join("site-packages").join(&metadata).is_dir());
    if !path.is_file() || !is_pinned {
        let hint = install_hint(folder);
        return Err(format!(
            "{package} {version} is not installed in {}; {hint}",
            folder.display()
        ));
    }
    absolute(path).map_err(|error| error.to_string())
}
