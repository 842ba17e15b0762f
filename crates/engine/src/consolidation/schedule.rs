//! When memory is consolidated: what to give to a scheduler of the system, and whether a server that does it is due to.

use std::path::Path;

use jiff::ToSpan;
use jiff::civil::Time;
use jiff::tz::TimeZone;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::last_run::LastConsolidation;
use crate::Session;

/// Returns whether no consolidation ran on this machine since the last time of day, in UTC, at which one should.
pub fn is_consolidation_due(session: &Session, at: Time) -> bool {
    let Some(ran_at) = LastConsolidation::read(session).ran_at else { return true };
    let now = session.now().to_zoned(TimeZone::UTC).datetime();
    let today = now.date().to_datetime(at);
    let due = match today <= now {
        true => Some(today),
        false => today.checked_sub(1.day()).ok(),
    };
    due.is_some_and(|due| ran_at.to_zoned(TimeZone::UTC).datetime() < due)
}

/// A scheduler of the system.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Scheduler {
    /// A timer of systemd and its service.
    Systemd,
    /// A line of a crontab.
    Cron,
}

/// Returns what runs a consolidation at three every night. Neither scheduler searches the folders of the shell for the program,
/// so its whole path is given.
pub(crate) fn schedule_text(scheduler: Scheduler, program: Option<&Path>, root: &Path) -> String {
    let program = program.unwrap_or(Path::new("heir"));
    let (program, root) = (program.display().to_string(), root.display().to_string());
    match scheduler {
        Scheduler::Cron => {
            // A percent sign is a line break to cron.
            let [program, root] =
                [program, root].map(|path| shell_quoted(&path).replace('%', "\\%"));
            format!("0 3 * * * {program} --root {root} consolidate --json >/dev/null\n")
        }
        Scheduler::Systemd => {
            // A percent sign and a dollar sign are special to systemd.
            let [program, root] = [program, root].map(|path| {
                let path = path.replace('\\', "\\\\").replace('"', "\\\"");
                path.replace('%', "%%").replace('$', "$$")
            });
            format!(
                "# ~/.config/systemd/user/heir-consolidate.service\n\
                 [Unit]\n\
                 Description=Consolidate the memory of a Heirloom workspace\n\n\
                 [Service]\n\
                 Type=oneshot\n\
                 ExecStart=\"{program}\" --root \"{root}\" consolidate --json\n\n\
                 # ~/.config/systemd/user/heir-consolidate.timer\n\
                 [Unit]\n\
                 Description=Consolidate the memory of a Heirloom workspace every night\n\n\
                 [Timer]\n\
                 OnCalendar=*-*-* 03:00:00\n\
                 Persistent=true\n\n\
                 [Install]\n\
                 WantedBy=timers.target\n"
            )
        }
    }
}

fn shell_quoted(text: &str) -> String {
    format!("'{}'", text.replace('\'', "'\\''"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn folders_with_special_characters_are_quoted() {
        let root = Path::new("/home/ann/it's 100% \"mine\"");
        let program = Some(Path::new("/opt/my tools/heir"));
        let cron = schedule_text(Scheduler::Cron, program, root);
        assert!(cron.contains("* '/opt/my tools/heir' --root"), "{cron}");
        assert!(cron.contains("'/home/ann/it'\\''s 100\\% \"mine\"'"), "{cron}");
        let timer = schedule_text(Scheduler::Systemd, program, root);
        assert!(timer.contains("ExecStart=\"/opt/my tools/heir\" --root"), "{timer}");
        assert!(timer.contains("\"/home/ann/it's 100%% \\\"mine\\\"\""), "{timer}");
    }
}
