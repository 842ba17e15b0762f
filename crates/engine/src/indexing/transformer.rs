//! Reads a sentence transformer from a folder.

use std::path::Path;
use std::sync::Arc;

use heirloom_embed::{ModelFiles, Transformer};
use heirloom_store::confined::is_escape;
use heirloom_store::{config, files};

use super::embedder_settings::{
    CONFIG_FILE, VOCABULARY_FILE, WEIGHTS_FILE, missing_setting, setting_hint,
};
use super::open_embedders::SharedEmbedder;
use crate::{Error, Session};

/// Example of a model folder for hints.
const FOLDER_EXAMPLE: &str = "models/minilm";

/// Maximum size of a model file; a larger model would be too slow for a search.
const MAX_MODEL_BYTES: u64 = 4 * 1024 * 1024 * 1024;

/// Opens the transformer in the folder that the environment or the settings name.
pub(super) fn open_transformer(
    session: &Session,
    settings: &config::Embedder,
) -> Result<SharedEmbedder, Error> {
    Ok(Arc::new(Transformer::parse(&read_files(session, settings)?)?))
}

fn read_files(session: &Session, settings: &config::Embedder) -> Result<ModelFiles, Error> {
    // The environment may name any folder. The settings come with the repository, which is untrusted,
    // so they may name only a folder inside the workspace.
    if let Some(folder) = &session.remote_embedder().folder {
        let folder = Path::new(folder);
        return Ok(ModelFiles {
            config: files::read_user_file(&folder.join(CONFIG_FILE))?,
            vocabulary: files::read_user_file(&folder.join(VOCABULARY_FILE))?,
            weights: files::read_user_file_bytes(&folder.join(WEIGHTS_FILE))?,
        });
    }
    let Some(folder) = settings.folder.as_deref() else {
        return Err(missing_setting("folder", FOLDER_EXAMPLE));
    };
    let dir = session.root().dir();
    let path = |name: &str| format!("{}/{name}", folder.trim_end_matches('/'));
    let failed = |name: &str, error: &std::io::Error| match is_escape(error) {
        true => {
            let what = format!("embedder.folder `{folder}` is outside of the workspace");
            let hint = format!("to use it all the same, set HEIRLOOM_EMBEDDER_FOLDER={folder}");
            Error::bad_input(what).hint(hint)
        }
        false => Error::bad_input(format!("{}: {error}", path(name)))
            .hint(setting_hint("folder", FOLDER_EXAMPLE)),
    };
    let text = |name: &str| {
        dir.read_text(&path(name), MAX_MODEL_BYTES).map_err(|error| failed(name, &error))
    };
    let weights = dir.read(&path(WEIGHTS_FILE), MAX_MODEL_BYTES);
    Ok(ModelFiles {
        config: text(CONFIG_FILE)?,
        vocabulary: text(VOCABULARY_FILE)?,
        weights: weights.map_err(|error| failed(WEIGHTS_FILE, &error))?,
    })
}
