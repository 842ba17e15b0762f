//! `plan renumber`: gives a plan another number, with all that refers to it.

use std::collections::HashMap;

use heirloom_core::renumber::Name;
use heirloom_store::journal::Rename;
use heirloom_store::{Root, layout};
use schemars::JsonSchema;
use serde::Deserialize;

use crate::memory::{WriteTransaction, move_relations};
use crate::ops::answers::Renumbered;
use crate::workspace::catalog::{Catalog, PlanFolder};
use crate::workspace::inherit;
use crate::{Effect, Error, Group, Operation, Session, Spec};

/// A plan's number has at most six digits.
const NUMBER_MAX: u32 = 999_999;

pub(crate) struct PlanRenumber;

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Request {
    /// The plan, by its folder's name, or by its number where only one has it.
    plan: String,
    /// Its new number; the next free one unless you say.
    #[serde(default)]
    number: Option<u32>,
    /// Show what would be done and do nothing.
    #[serde(default)]
    dry_run: bool,
}

impl Operation for PlanRenumber {
    type Request = Request;
    type Response = Renumbered;
    const SPEC: Spec = Spec {
        name: "plan_renumber",
        usage: "plan renumber <plan> [number]",
        group: Group::Plans,
        effect: Effect::Writes,
        about: "Give a plan another number: its folder, its document and what refers to it change together. What could mean another plan with the old number is listed and left alone.",
    };

    fn run(session: &Session, request: Request) -> Result<Renumbered, Error> {
        let root = session.root();
        let mut transaction = WriteTransaction::begin(session, false)?;
        let level = inherit::level(session.config()?, "plan")?;
        let plan = layout::find_name(root, &level, &Default::default(), &request.plan)?;
        let plans = PlanFolder::of(root, &level).ok_or_else(|| {
            Error::bad_input("the plans of this hierarchy are not folders of one folder")
                .hint("rename the plan by hand")
        })?;
        let name = Name::of_plan(&plan).ok_or_else(|| {
            Error::bad_input(format!("the plan `{plan}` has no number"))
                .hint("rename its folder, so that its name starts with a number")
        })?;
        let number = choose(root, &plans, &name, request.number)?;
        let catalog = Catalog::read(session)?;
        let edits = catalog.renumber_plan(root, &plans, &plan, &name, number);
        let renames = renames(root, &plans, &plan, &name, number)?;
        let new_plan = name.renumbered(number);
        let names = [plan.clone(), new_plan.clone()];
        if request.dry_run {
            return Ok(Renumbered::prepare(names, renames, edits, None));
        }
        let relations =
            move_relations(session, &mut transaction, &new_ids(&catalog, &plan, &new_plan))?;
        let answer = Renumbered::prepare(names, renames, edits, Some(&mut transaction));
        transaction.commit()?;
        Ok(answer.with_relations(relations))
    }
}

/// Returns the number to give: the one that was asked for if it is free, else the next free one.
fn choose(root: &Root, plans: &PlanFolder, name: &Name, asked: Option<u32>) -> Result<u32, Error> {
    let next = plans.next_number(root);
    let number = asked.unwrap_or(next);
    if number > NUMBER_MAX {
        return Err(Error::bad_input(format!("{number} cannot be the number of a plan"))
            .hint(format!("{next} is free")));
    }
    if number == name.number() {
        return Err(Error::bad_input(format!("it has the number {number} already")));
    }
    if plans.is_taken(root, number) {
        return Err(Error::bad_input(format!(
            "the number {number} is taken by a plan, or was before it was archived"
        ))
        .hint(format!("{next} is free")));
    }
    Ok(number)
}

/// The plan's own document is called after its folder or its number; it is renamed inside the folder
/// before the folder is.
fn renames(
    root: &Root,
    plans: &PlanFolder,
    plan: &str,
    name: &Name,
    number: u32,
) -> Result<Vec<Rename>, Error> {
    let folder = plans.folder_of(plan);
    let new_plan = name.renumbered(number);
    let documents = [
        (format!("{plan}-plan.md"), format!("{new_plan}-plan.md")),
        (format!("{}-plan.md", name.digits()), format!("{}-plan.md", name.digits_of(number))),
    ];
    let there: Vec<String> = root.list(&folder)?.into_iter().map(|item| item.name).collect();
    let mut renames: Vec<Rename> = documents
        .into_iter()
        .filter(|(from, _)| there.contains(from))
        .map(|(from, to)| Rename { from: format!("{folder}/{from}"), to: format!("{folder}/{to}") })
        .collect();
    renames.push(Rename { to: plans.folder_of(&new_plan), from: folder });
    Ok(renames)
}

/// The ids of the plan's documents, before and after.
fn new_ids(catalog: &Catalog, plan: &str, new_plan: &str) -> HashMap<String, String> {
    let own = catalog
        .filed
        .iter()
        .filter(|filed| filed.selectors.get("plan").is_some_and(|own| own == plan));
    own.map(|filed| {
        let parts = filed.id.split('/').map(|part| if part == plan { new_plan } else { part });
        (filed.id.clone(), parts.collect::<Vec<_>>().join("/"))
    })
    .collect()
}
