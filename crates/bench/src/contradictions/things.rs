//! What generated facts are about: things of five kinds, and parts of them.

/// A kind of thing that facts are about.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    Service,
    Job,
    App,
    Store,
    Team,
}

impl Kind {
    pub(super) const ALL: [Kind; 5] =
        [Kind::Service, Kind::Job, Kind::App, Kind::Store, Kind::Team];

    /// Returns the things of this kind.
    pub(super) fn things(self) -> &'static [&'static str] {
        match self {
            Kind::Service => SERVICES,
            Kind::Job => JOBS,
            Kind::App => APPS,
            Kind::Store => STORES,
            Kind::Team => TEAMS,
        }
    }

    /// Returns the parts that a thing of this kind may have. `{t}` stands for the thing; the first part is the whole thing.
    pub(super) fn parts(self) -> &'static [&'static str] {
        match self {
            Kind::Service => PARTS_OF_SERVICES,
            Kind::Job => PARTS_OF_JOBS,
            Kind::App => PARTS_OF_APPS,
            Kind::Store => PARTS_OF_STORES,
            Kind::Team => PARTS_OF_TEAMS,
        }
    }
}

/// What tells variants of one thing apart, if there are more facts than things; the first variant is the thing itself.
pub(super) const VARIANTS: &[&str] =
    &["", "legacy", "experimental", "internal", "outsourced", "regional", "secondary", "rewritten"];

/// Scopes of which two exclude each other, so that statements for them do not contradict each other.
pub(super) const SCOPES: &[&[&str]] = &[
    &["in production", "in staging", "on the demo cluster"],
    &["in the European region", "in the American region", "in Singapore"],
    &["for enterprise tenants", "for free accounts"],
    &["on weekdays", "at weekends"],
    &["since the spring release", "before the spring release"],
];

const SERVICES: &[&str] = &[
    "the billing service",
    "the search API",
    "the login gateway",
    "the notification hub",
    "the pricing engine",
    "the invoice renderer",
    "the recommendation service",
    "the image resizer",
    "the geocoding proxy",
    "the flag server",
    "the session broker",
    "the audit collector",
    "the card adapter",
    "the shipping calculator",
    "the tax service",
    "the webhook dispatcher",
    "the chat relay",
    "the telemetry ingester",
    "the document converter",
    "the fraud scorer",
    "the coupon service",
    "the inventory API",
    "the address validator",
    "the video transcoder",
    "the translation proxy",
    "the identity provider",
    "the consent service",
    "the licence server",
    "the currency converter",
    "the mail sender",
    "the tile server",
    "the booking API",
    "the seat planner",
    "the loyalty backend",
    "the device registry",
    "the firmware server",
    "the meter reader",
    "the quota keeper",
    "Heimdall",
    "the barcode decoder",
];

const JOBS: &[&str] = &[
    "the ledger export",
    "the stock import",
    "the churn report",
    "the thumbnail backfill",
    "the customs declaration run",
    "the payroll run",
    "the search reindexing",
    "the dunning run",
    "the sitemap build",
    "the sanctions screening",
    "the price sync",
    "the log rotation",
    "the dependency scan",
    "the warehouse count",
    "the certificate renewal",
    "the newsletter run",
    "the anonymiser",
    "the forecast training",
    "the orphan cleanup",
    "the exchange rate import",
    "the translation export",
    "the load test",
    "the snapshot verification",
    "the cost report",
    "the satellite download",
    "the label printing",
    "the embedding refresh",
    "the partner settlement",
    "the timetable import",
    "the mailbox archiving",
];

const APPS: &[&str] = &[
    "the iOS app",
    "the Android app",
    "the admin console",
    "the partner portal",
    "the driver app",
    "the warehouse scanner",
    "the kiosk display",
    "the storefront",
    "the support desk",
    "the analytics dashboard",
    "the desktop client",
    "the browser extension",
    "the onboarding wizard",
    "the floor plan editor",
    "the tablet till",
    "the nurse station view",
    "the field survey app",
    "the developer playground",
    "the voting page",
    "the shift planner",
    "the course player",
    "the map viewer",
    "the print shop editor",
    "the TV app",
    "the command line tool",
    "the recruiting site",
    "the tenant settings page",
    "the cockpit display",
    "the code search page",
    "the feedback widget",
];

const STORES: &[&str] = &[
    "the orders table",
    "the event log",
    "the customer bucket",
    "the clickstream topic",
    "the product catalogue",
    "the audit trail",
    "the session cache",
    "the metrics database",
    "the photo archive",
    "the ledger",
    "the message queue",
    "the address book",
    "the sensor archive",
    "the training set",
    "the document index",
    "the contract vault",
    "the crash dump share",
    "the geometry table",
    "the consent register",
    "the recipe database",
    "the feature store",
    "the mail spool",
    "the patient register",
    "the build cache",
    "the price history",
    "the permission table",
    "the translation memory",
    "the ticket archive",
    "the parts list",
    "the wiki database",
];

const TEAMS: &[&str] = &[
    "the payments team",
    "the platform team",
    "the mobile team",
    "the data team",
    "the growth team",
    "the security guild",
    "the firmware group",
    "the design system crew",
    "the support engineers",
    "the logistics team",
    "the compiler group",
    "the documentation team",
    "the research lab",
    "the infrastructure crew",
    "the localisation team",
    "the quality group",
    "the marketplace team",
    "the video team",
    "the robotics lab",
    "the compliance group",
];

const PARTS_OF_SERVICES: &[&str] = &[
    "{t}",
    "the bulk endpoint of {t}",
    "the admin interface of {t}",
    "the webhook receiver of {t}",
    "the read side of {t}",
    "the retry worker of {t}",
    "the public facade of {t}",
    "the second generation of {t}",
    "the scheduler inside {t}",
    "the health probe of {t}",
    "the GraphQL layer of {t}",
    "the upload path of {t}",
];

const PARTS_OF_JOBS: &[&str] = &[
    "{t}",
    "the first stage of {t}",
    "the final stage of {t}",
    "the validation step of {t}",
    "the upload step of {t}",
    "the small variant of {t}",
    "the legacy twin of {t}",
    "the reporting half of {t}",
    "the fallback for {t}",
    "the monthly variant of {t}",
];

const PARTS_OF_APPS: &[&str] = &[
    "{t}",
    "the settings screen of {t}",
    "the sign-up form of {t}",
    "the start page of {t}",
    "the detail view of {t}",
    "the second window of {t}",
    "the beta channel of {t}",
    "the embedded browser of {t}",
    "the comment box of {t}",
    "the export dialog of {t}",
];

const PARTS_OF_STORES: &[&str] = &[
    "{t}",
    "the mirror of {t}",
    "the cold tier of {t}",
    "the staging copy of {t}",
    "the tombstone part of {t}",
    "the attachment part of {t}",
    "the change feed of {t}",
    "the summary of {t}",
    "the quarantine part of {t}",
    "the history part of {t}",
];

const PARTS_OF_TEAMS: &[&str] = &[
    "{t}",
    "the night shift of {t}",
    "the Lisbon office of {t}",
    "the contractors of {t}",
    "the tooling squad of {t}",
    "the newcomers of {t}",
];
