//! `limps plan list`, which `start` times beside heir.

use std::fs;
use std::path::{Path, PathBuf, absolute};

use serde_json::json;

use super::limps::{PACKAGE, VERSION};
use super::packages::node_package;
use crate::failure::Failure;
use crate::files;
use crate::generate::Workspace;
use crate::invocation::Invocation;

/// Returns the path of limps in `folder`, or why it is not available.
pub(crate) fn limps(folder: &Path) -> Result<PathBuf, String> {
    node_package(folder, PACKAGE, VERSION)?;
    absolute(folder.join("node_modules/.bin/limps")).map_err(|error| error.to_string())
}

/// Prepares `limps plan list --json` over the plans of `workspace`, and checks that it lists them all.
///
/// The configuration is what `limps init` writes. It is in `scratch` and named by an environment variable, so that
/// limps reads the same files as heir, and heir does not see the files of limps. A listing needs no index; limps
/// reads every plan each time.
pub(crate) fn limps_listing(
    program: &Path,
    workspace: &Workspace,
    scratch: &Path,
) -> Result<Invocation, Failure> {
    let folder = scratch.join("limps");
    let data = folder.join("data");
    fs::create_dir_all(&data).map_err(Failure::io("making", &data))?;
    let config = folder.join("config.json");
    let settings = json!({
        "configVersion": 1,
        "plansPath": workspace.root.join("plans"),
        "docsPaths": [workspace.root],
        "fileExtensions": [".md"],
        "dataPath": data,
        "scoring": { "weights": { "dependency": 40, "priority": 30, "workload": 30 }, "biases": {} },
    });
    files::write(&config, &settings.to_string())?;

    let listing = Invocation::new(program, &["plan", "list", "--json"], &workspace.root)
        .with_variable("MCP_PLANNING_CONFIG", config.display().to_string())
        .with_variable("NO_COLOR", "1");
    let total = listing.json_output()?["data"]["total"].as_u64().unwrap_or(0);
    match total == workspace.plans.len() as u64 {
        true => Ok(listing),
        false => {
            let reason = format!("it lists {total} plans of {}", workspace.plans.len());
            Err(listing.wrong_answer(reason))
        }
    }
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::{VERSION, limps};

    #[test]
    fn a_missing_package_is_reported() {
        let folder = tempfile::tempdir().unwrap();
        let reason = limps(folder.path()).unwrap_err();
        assert!(reason.starts_with("@sudosandwich/limps is not installed in "), "{reason}");
    }

    #[test]
    fn a_package_of_another_version_is_refused() {
        let folder = tempfile::tempdir().unwrap();
        let modules = folder.path().join("node_modules");
        let package = modules.join("@sudosandwich/limps");
        fs::create_dir_all(modules.join(".bin")).unwrap();
        fs::create_dir_all(&package).unwrap();
        fs::write(modules.join(".bin/limps"), "").unwrap();

        fs::write(package.join("package.json"), r#"{"version":"0.0.1"}"#).unwrap();
        let reason = limps(folder.path()).unwrap_err();
        assert!(reason.starts_with("the installed @sudosandwich/limps is 0.0.1, not "), "{reason}");

        fs::write(package.join("package.json"), format!(r#"{{"version":"{VERSION}"}}"#)).unwrap();
        assert_eq!(limps(folder.path()).unwrap(), modules.join(".bin/limps"));
    }
}
