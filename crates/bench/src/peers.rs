//! The other tools that share a table with heir, at pinned versions.

use std::fs;
use std::path::{Path, PathBuf, absolute};
use std::process::Command;

use serde_json::{Value, json};

use crate::failure::Failure;
use crate::generate::Workspace;
use crate::programs;
use crate::timing::Invocation;

/// Where peers are installed unless told otherwise.
pub(crate) const DEFAULT_FOLDER: &str = "target/peers";

/// The npm package of limps, whose plans have the layout of ours.
const LIMPS_PACKAGE: &str = "@sudosandwich/limps";
/// The version that every table names.
pub(crate) const LIMPS_VERSION: &str = "3.4.0";

/// Installs the pinned packages into `folder`.
pub(crate) fn install(folder: &Path) -> Result<(), Failure> {
    let npm = programs::on_path("npm").ok_or_else(|| {
        Failure::Setup("npm is not installed, and peers are npm packages".to_owned())
    })?;
    fs::create_dir_all(folder).map_err(Failure::io("making", folder))?;
    let package = format!("{LIMPS_PACKAGE}@{LIMPS_VERSION}");
    eprintln!("installing {package} into {} (it may compile native modules)", folder.display());
    let status = Command::new(npm)
        .args(["install", "--no-audit", "--no-fund", "--save-exact", "--prefix"])
        .arg(folder)
        .arg(&package)
        // The package would otherwise restart the daemons of an installation that the user works with.
        .env("LIMPS_SKIP_POSTINSTALL", "1")
        .status()
        .map_err(Failure::io("installing into", folder))?;
    if !status.success() {
        return Err(Failure::Command {
            command: format!("npm install {package}"),
            status: status.to_string(),
            stderr: String::new(),
        });
    }
    limps(folder).map(|_| ()).map_err(Failure::Setup)
}

/// Returns the limps under `folder`, or the reason why it cannot take part.
pub(crate) fn limps(folder: &Path) -> Result<PathBuf, String> {
    let advice = format!("run `heirloom-bench peers install --dir {}`", folder.display());
    let modules = folder.join("node_modules");
    let manifest = modules.join(LIMPS_PACKAGE).join("package.json");
    let program = absolute(modules.join(".bin/limps")).map_err(|error| error.to_string())?;
    if !program.exists() {
        return Err(format!("limps is not installed in {}; {advice}", folder.display()));
    }
    let text = fs::read_to_string(&manifest)
        .map_err(|error| format!("{}: {error}", manifest.display()))?;
    let version = serde_json::from_str::<Value>(&text)
        .ok()
        .and_then(|manifest| manifest["version"].as_str().map(str::to_owned))
        .unwrap_or_else(|| "of unknown version".to_owned());
    if version != LIMPS_VERSION {
        return Err(format!("the installed limps is {version}, not {LIMPS_VERSION}; {advice}"));
    }
    Ok(program)
}

/// Prepares `limps plan list --json` over the plans of `workspace`, and checks that it lists them all.
///
/// The configuration is what `limps init` writes, but it lies in `scratch` and reaches limps through a variable:
/// so limps reads the very files that heir reads, and heir sees none of its. A listing needs no index; limps
/// reads every plan each time.
pub(crate) fn limps_listing(
    program: PathBuf,
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
    fs::write(&config, settings.to_string()).map_err(Failure::io("writing", &config))?;

    let listing = Invocation {
        program,
        arguments: ["plan", "list", "--json"].map(str::to_owned).to_vec(),
        folder: workspace.root.clone(),
        variables: vec![
            ("MCP_PLANNING_CONFIG", config.display().to_string()),
            ("NO_COLOR", "1".to_owned()),
        ],
    };
    let answer = listing.output()?;
    let total = serde_json::from_str::<Value>(&answer)
        .ok()
        .and_then(|answer| answer["data"]["total"].as_u64())
        .unwrap_or(0);
    if total != workspace.plans.len() as u64 {
        return Err(Failure::Unexpected {
            command: listing.to_string(),
            reason: format!("it lists {total} plans of {}", workspace.plans.len()),
        });
    }
    Ok(listing)
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::{LIMPS_VERSION, limps};

    #[test]
    fn an_empty_folder_has_a_reason() {
        let folder = tempfile::tempdir().unwrap();
        let reason = limps(folder.path()).unwrap_err();
        assert!(reason.starts_with("limps is not installed in "), "{reason}");
    }

    #[test]
    fn another_version_than_the_pinned_one_does_not_take_part() {
        let folder = tempfile::tempdir().unwrap();
        let modules = folder.path().join("node_modules");
        let package = modules.join("@sudosandwich/limps");
        fs::create_dir_all(modules.join(".bin")).unwrap();
        fs::create_dir_all(&package).unwrap();
        fs::write(modules.join(".bin/limps"), "").unwrap();

        fs::write(package.join("package.json"), r#"{"version":"0.0.1"}"#).unwrap();
        let reason = limps(folder.path()).unwrap_err();
        assert!(reason.starts_with("the installed limps is 0.0.1, not "), "{reason}");

        fs::write(package.join("package.json"), format!(r#"{{"version":"{LIMPS_VERSION}"}}"#))
            .unwrap();
        assert_eq!(limps(folder.path()).unwrap(), modules.join(".bin/limps"));
    }
}
