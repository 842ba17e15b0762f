//! `plan renumber`: changes the number of a plan and the references to it.

use std::collections::HashMap;

use heirloom_core::name::MAX_PLAN_NUMBER;
use heirloom_core::renumber::NumberedName;
use heirloom_store::journal::Rename;
use heirloom_store::{Root, layout};
use schemars::JsonSchema;
use serde::Deserialize;

use crate::memory::{WriteTransaction, move_relations};
use crate::ops::answers::RenumberReport;
use crate::workspace::catalog::{Catalog, PlanFolder};
use crate::workspace::inherit;
use crate::{Effect, Error, Group, Operation, Session, Spec};

pub(crate) struct PlanRenumber;

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Request {
    /// Plan, by folder name, or by number if it is unique.
    plan: String,
    /// New number; default: the next free one.
    #[serde(default)]
    number: Option<u32>,
    /// Only show what would be done.
    #[serde(default)]
    dry_run: bool,
}

impl Operation for PlanRenumber {
    type Request = Request;
    type Response = RenumberReport;
    const SPEC: Spec = Spec {
        name: "plan_renumber",
        usage: "plan renumber <plan> [number]",
        group: Group::Plans,
        effect: Effect::Writes,
        about: "Change the number of a plan. Its folder, its document and references to it change together. References that may mean another plan with the old number are listed, not changed.",
    };

    fn run(session: &Session, request: Request) -> Result<RenumberReport, Error> {
        let root = session.root();
        let mut transaction = WriteTransaction::begin(session, false)?;
        let level = inherit::level(session.config()?, "plan")?;
        let plan = layout::find_name(root, &level, &Default::default(), &request.plan)?;
        let plans = PlanFolder::of(root, &level).ok_or_else(|| {
            Error::bad_input("the plans of this hierarchy do not share a parent folder")
                .hint("rename the plan by hand")
        })?;
        let name = NumberedName::of_plan(&plan).ok_or_else(|| {
            Error::bad_input(format!("the plan `{plan}` has no number"))
                .hint("rename its folder, so that its name starts with a number")
        })?;
        let number = choose_number(root, &plans, &name, request.number)?;
        let catalog = Catalog::read(session)?;
        let edits = catalog.renumber_plan(root, &plans, &plan, &name, number);
        let renames = renames(root, &plans, &plan, &name, number)?;
        let new_plan = name.with_number(number);
        let names = [plan.clone(), new_plan.clone()];
        if request.dry_run {
            return Ok(RenumberReport::prepare(names, renames, edits, None));
        }
        let relations =
            move_relations(session, &mut transaction, &new_ids(&catalog, &plan, &new_plan))?;
        let answer = RenumberReport::prepare(names, renames, edits, Some(&mut transaction));
        transaction.commit()?;
        Ok(answer.with_relations(relations))
    }
}

/// Returns the requested number if it is free, or the next free one if none is requested.
fn choose_number(
    root: &Root,
    plans: &PlanFolder,
    name: &NumberedName,
    requested: Option<u32>,
) -> Result<u32, Error> {
    let next = plans.next_number(root);
    let number = requested.unwrap_or(next);
    if number > MAX_PLAN_NUMBER {
        return Err(Error::bad_input(format!("{number} is not a valid plan number"))
            .hint(format!("{next} is free")));
    }
    if number == name.number() {
        return Err(Error::bad_input(format!("the plan already has the number {number}")));
    }
    if plans.is_taken(root, number) {
        return Err(Error::bad_input(format!(
            "the number {number} is already used by a plan, perhaps an archived one"
        ))
        .hint(format!("{next} is free")));
    }
    Ok(number)
}

/// Returns the renames in order: first the plan's document, which is named after the folder or the
/// number, then the folder.
fn renames(
    root: &Root,
    plans: &PlanFolder,
    plan: &str,
    name: &NumberedName,
    number: u32,
) -> Result<Vec<Rename>, Error> {
    let folder = plans.folder_of(plan);
    let new_plan = name.with_number(number);
    let documents = [
        (format!("{plan}-plan.md"), format!("{new_plan}-plan.md")),
        (format!("{}-plan.md", name.digits()), format!("{}-plan.md", name.pad_number(number))),
    ];
    let names: Vec<String> = root.list(&folder)?.into_iter().map(|item| item.name).collect();
    let mut renames: Vec<Rename> = documents
        .into_iter()
        .filter(|(from, _)| names.contains(from))
        .map(|(from, to)| Rename { from: format!("{folder}/{from}"), to: format!("{folder}/{to}") })
        .collect();
    renames.push(Rename { to: plans.folder_of(&new_plan), from: folder });
    Ok(renames)
}

/// Maps the old ids of the plan's documents to the new ones.
fn new_ids(catalog: &Catalog, plan: &str, new_plan: &str) -> HashMap<String, String> {
    let members = catalog.entries.iter().filter(|catalog_entry| {
        catalog_entry.selectors.get("plan").is_some_and(|name| name == plan)
    });
    members
        .map(|catalog_entry| {
            let parts =
                catalog_entry.id.split('/').map(|part| if part == plan { new_plan } else { part });
            (catalog_entry.id.clone(), parts.collect::<Vec<_>>().join("/"))
        })
        .collect()
}
