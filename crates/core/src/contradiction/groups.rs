//! Groups of words of which a statement usually means one: products for the same purpose, formats, units, places.

use std::collections::HashMap;
use std::sync::OnceLock;

/// What the members of a group are.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) enum GroupKind {
    /// Products, formats and methods: who uses one for a purpose does not use another.
    Choice,
    /// Where or for whom a statement holds: what holds for one may not hold for another.
    Scope,
}

/// Products for the same purpose, and languages. The members of a group are separated by spaces, several names of one thing
/// by `|`, and the words of a name by `_`.
const PRODUCTS: &[&str] = &[
    // Databases and storage
    "postgresql|postgres mysql mariadb sqlite oracle mssql cockroachdb mongodb|mongo dynamodb cassandra couchdb couchbase firestore neo4j duckdb aurora spanner tidb yugabytedb scylladb db2 firebird rethinkdb surrealdb",
    "redis memcached valkey hazelcast ehcache caffeine dragonfly keydb",
    "elasticsearch opensearch solr meilisearch typesense algolia lucene tantivy sphinx",
    "influxdb timescaledb prometheus graphite victoriametrics questdb opentsdb",
    "snowflake bigquery redshift clickhouse databricks synapse druid pinot trino presto",
    "s3 minio gcs ceph azure_blob nfs local_disk|disk|filesystem|file_system object_store|object_storage",
    "pinecone qdrant weaviate milvus pgvector faiss chroma",
    "kafka rabbitmq nats sqs pulsar activemq pubsub kinesis zeromq mosquitto servicebus eventhub",
    "celery sidekiq rq temporal airflow dagster prefect luigi argo_workflows cadence camunda",
    "parquet avro orc csv arrow feather",
    "xfs ext4 btrfs zfs ntfs apfs",
    // Languages and frameworks
    "python java kotlin scala clojure groovy ruby go|golang rust c++ c# typescript javascript|js php perl swift dart elixir erlang haskell ocaml f# lua zig julia r matlab fortran cobol ada",
    "react vue angular svelte solid ember preact qwik lit backbone htmx",
    "next.js|nextjs nuxt remix gatsby sveltekit astro",
    "django flask fastapi pyramid tornado starlette aiohttp bottle",
    "express fastify koa hapi nestjs hono",
    "spring|spring_boot quarkus micronaut dropwizard vert.x",
    "rails sinatra hanami",
    "laravel symfony yii codeigniter",
    "axum actix rocket warp",
    "gin echo fiber chi",
    "react_native flutter swiftui jetpack_compose xamarin ionic kmp cordova",
    "electron tauri qt gtk wxwidgets winforms wpf",
    "tailwind bootstrap sass|scss less css_modules styled_components emotion bulma",
    "redux mobx zustand recoil jotai pinia vuex",
    "unity unreal godot bevy cryengine",
    "opengl vulkan metal directx|direct3d webgl webgpu software_rasteriser",
    "pytorch tensorflow jax mxnet keras onnx",
    "spark flink beam dask hadoop storm",
    "pandas polars",
    "zgc g1 shenandoah cms",
    "freertos zephyr threadx vxworks qnx nuttx mbed",
    "grafana kibana metabase tableau superset looker power_bi redash",
    "hibernate jooq mybatis jpa jdbc",
    "prisma typeorm sequelize drizzle knex mikroorm",
    "sqlalchemy peewee django_orm tortoise",
    "diesel sqlx sea_orm",
    "flyway liquibase alembic goose sqitch dbmate",
    "llvm gcc clang msvc cranelift",
    "log4j logback slf4j serilog winston pino zap loguru structlog",
    "moment dayjs luxon date_fns",
    "axios fetch ky got superagent",
    "zod yup joi ajv valibot io_ts pydantic marshmallow",
    "protobuf flatbuffers capnproto",
    "three.js babylon.js",
    "d3 chart.js echarts highcharts plotly vega",
    "tinymce ckeditor quill prosemirror slate lexical tiptap",
    "selenium appium espresso xcuitest detox",
    "locust k6 jmeter gatling",
    "wasm|webassembly v8 jvm lua_scripts native",
    "openai anthropic mistral llama gemini gpt_4 claude",
    "whisper deepgram vosk",
    "tesseract textract abbyy paddleocr",
    "bert fasttext word2vec glove",
    "xgboost lightgbm catboost random_forest|random_forests neural_network|neural_networks logistic_regression linear_regression",
    "hnsw ivf",
    "airbyte fivetran stitch meltano debezium",
    "tensorrt triton torchserve vllm",
    "mlflow wandb neptune comet kubeflow sagemaker",
    "looker_studio data_studio",
    "veeam restic borg bacula duplicity",
    "okd esxi proxmox hyper_v kvm xen vmware nutanix",
    "cisco juniper mikrotik arista fortinet",
    "wireguard openvpn ipsec tailscale zerotier",
    "crowdstrike defender sentinelone wazuh",
    "snyk trivy grype clair dependency_check",
    "sonarqube codeclimate codacy coverity",
    "verilog|systemverilog vhdl chisel",
    "misra autosar",
    "qr_code|qr_codes barcode|barcodes nfc rfid",
    "inkscape illustrator photoshop gimp",
    "blender maya houdini 3ds_max",
    "fmod wwise",
    "libreoffice excel google_sheets",
    "exchange gmail postfix dovecot zimbra",
    "intercom zendesk freshdesk helpscout",
    "lit_element stencil",
    // Building, testing, shipping
    "npm yarn pnpm bun",
    "pip poetry uv conda pipenv pdm",
    "maven gradle bazel ant sbt buck pants",
    "cmake meson make|makefile ninja autotools just scons",
    "webpack vite rollup esbuild parcel turbopack",
    "jest vitest mocha jasmine ava",
    "pytest unittest nose",
    "cypress playwright selenium puppeteer webdriverio testcafe",
    "eslint biome oxlint",
    "black ruff yapf autopep8",
    "jenkins github_actions gitlab_ci circleci travis buildkite teamcity drone concourse azure_devops tekton bamboo",
    "git svn|subversion mercurial perforce cvs fossil",
    "github gitlab bitbucket gitea forgejo codeberg",
    "trunk_based|trunk gitflow|git_flow",
    "squash rebase merge_commit|merge_commits",
    "docker podman containerd cri_o lxc",
    "kubernetes|k8s nomad swarm mesos ecs systemd",
    "eks gke aks openshift k3s rancher",
    "terraform pulumi cloudformation ansible chef puppet saltstack opentofu crossplane cdk",
    "helm kustomize jsonnet",
    "argo_cd|argocd flux spinnaker",
    "alpine debian ubuntu distroless centos fedora rhel rocky arch scratch suse nixos",
    "aws|amazon azure gcp|google_cloud hetzner digitalocean ovh scaleway heroku vercel netlify fly.io cloudflare_pages on_premises|on_prem|premises",
    "lambda fargate ec2 cloud_run app_engine",
    "linux windows macos|osx freebsd openbsd solaris",
    "cilium calico flannel weave",
    "istio linkerd consul envoy",
    "nginx apache caddy haproxy traefik iis",
    "cloudflare route_53 akamai fastly cloudfront bunny",
    "monorepo|mono_repo polyrepo|multi_repo separate_repositories",
    "submodule|submodules subtree|subtrees",
    "lefthook husky pre_commit",
    "renovate dependabot",
    "jira linear trello asana github_issues youtrack redmine shortcut",
    "slack teams|ms_teams mattermost zulip discord rocket.chat",
    "notion confluence wiki sharepoint google_docs",
    "figma sketch adobe_xd penpot",
    "sphinx mkdocs docusaurus hugo jekyll asciidoctor antora",
    "markdown|md asciidoc|adoc restructuredtext|rst latex docx",
    "node|node.js|nodejs deno bun",
    // Observing
    "datadog grafana new_relic splunk honeycomb dynatrace elastic sentry rollbar bugsnag",
    "loki elk graylog splunk",
    "jaeger zipkin tempo x_ray",
    "pagerduty opsgenie victorops",
    "structured plain_text|plaintext",
    "debug_level info|info_level warn|warning trace",
    // Business
    "stripe paypal adyen braintree mollie klarna worldpay",
    "hubspot salesforce pipedrive zoho",
    "mapbox google_maps openstreetmap leaflet here",
    "twilio vonage messagebird sinch",
    "contentful strapi sanity wordpress drupal ghost typo3",
    "shopify magento woocommerce shopware saleor",
    "sap oracle_erp dynamics netsuite odoo",
    "launchdarkly unleash flagsmith growthbook",
    "amplitude mixpanel matomo plausible google_analytics posthog",
    "zoom webex google_meet jitsi",
];

/// Other choices: formats, methods, units, days.
const CHOICES: &[&str] = &[
    // Interfaces, formats, protocols
    "rest graphql grpc soap trpc json_rpc websocket|websockets sse|server_sent_events long_polling",
    "json yaml xml toml protobuf|protocol_buffers msgpack|messagepack cbor ini thrift bson edn hcl",
    "http https",
    "tcp udp quic sctp",
    "ipv4 ipv6",
    "push pull",
    "polling|polled|poll webhook|webhooks",
    "cursor|cursors offset|offsets page_number|page_numbers",
    "utf_8 utf_16|utf_16le latin_1 ascii",
    "camelcase snake_case kebab_case pascalcase",
    "tabs spaces",
    "lf crlf",
    "uuid|uuids|uuidv4|uuidv7 ulid|ulids bigint|bigserial|integer_primary_keys snowflake_ids nanoid auto_increment|autoincrement|serial sequence",
    "float|floats|doubles|double decimal|decimals integer|integers|cents|int string|strings",
    "iso_8601|rfc_3339 epoch|unix_timestamp|unix_timestamps",
    "utc local_time",
    "gzip zstd brotli lz4 snappy deflate bzip2 xz",
    "png jpeg|jpg webp avif gif svg tiff",
    "mp4 webm hls dash rtmp webrtc",
    "opus aac mp3 flac vorbis wav",
    "h264|h.264 h265|hevc av1 vp9",
    "mqtt amqp coap opc_ua modbus lorawan zigbee z_wave bluetooth|ble wifi|wi_fi thread can|can_bus",
    "imap pop3",
    "smtp sendgrid mailgun ses postmark",
    "fhir hl7 dicom",
    "pdf docx html",
    "a4 letter",
    "semver|semantic_versioning calver|calendar_versioning",
    "crdt|crdts last_write_wins operational_transformation|ot",
    "websocket|websockets polling|polls",
    "flexbox css_grid",
    "px rem em",
    "rgb cmyk srgb oklab display_p3",
    "mono stereo",
    "lossless lossy",
    "wgs84 utm mercator",
    "raft paxos zookeeper",
    "event_sourcing|event_sourced crud",
    "http_1.1 http_2 http_3",
    "tls_1.2 tls_1.3 ssl plaintext",
    "blacklist whitelist",
    "stack heap arena garbage_collector|garbage_collected reference_counting|refcounting",
    "exceptions|exception result|results error_codes|errors_as_values",
    "inheritance composition",
    "enum|enums union|unions",
    "class|classes function|functions",
    "thread|threads process|processes coroutine|coroutines async actor|actors",
    "mutex|mutexes|lock|locks channel|channels",
    "constructor|constructors setter|setters field_injection service_locator",
    "abort rollback continue",
    "snapshot|snapshots incremental",
    "hot_standby cold_standby",
    "row_level table_level",
    "range_sharding hash_sharding",
    "batch|batches stream|streaming|streams",
    "dropped|discarded|thrown_away queued|retried",
    // Security
    "jwt|jwts session|sessions|session_cookie|session_cookies opaque_tokens|opaque",
    "oauth|oauth2 saml ldap kerberos basic_auth|basic_authentication openid|oidc api_key|api_keys mtls passkeys|passkey|webauthn magic_link|magic_links password|passwords",
    "keycloak auth0 okta cognito entra authentik",
    "bcrypt argon2|argon2id scrypt pbkdf2 md5 sha1|sha_1 sha256|sha_256 sha512|sha_512 blake3 xxhash64 crc32",
    "rsa ecdsa ed25519 hmac es256 rs256 hs256 x25519",
    "aes_256 aes_128 chacha20 aes_gcm",
    "vault|hashicorp_vault secrets_manager sops sealed_secrets env_files|dotenv|.env key_vault",
    "totp sms hardware_key|hardware_keys yubikey",
    "rbac abac acl|acls",
    "let's_encrypt digicert zerossl",
    "hcaptcha recaptcha turnstile",
    "gpl mit apache_2.0|apache bsd agpl lgpl mpl proprietary",
    "english german french spanish italian dutch polish portuguese japanese chinese korean russian",
    "euros|eur|euro dollars|usd|dollar pounds|gbp francs|chf yen",
    "metric imperial",
    "celsius fahrenheit kelvin",
    "kilometres|km miles",
    "metres|meters feet",
    "kilograms|kg|grams pounds|lbs|ounces",
    // Ways of doing something
    "synchronously|synchronous|sync asynchronously|asynchronous|async",
    "eventual|eventually strong|strongly",
    "optimistic pessimistic",
    "optimistically pessimistically",
    "fifo lifo",
    "soft_delete|soft_deleted|soft_deletes hard_delete|hard_deleted|physically_deleted",
    "stateless stateful",
    "mutable immutable",
    "single_tenant multi_tenant",
    "monolith|monolithic microservices|microservice serverless",
    "blue_green canary rolling recreate|big_bang",
    "active_active active_passive",
    "leader_follower leaderless",
    "horizontally vertically",
    "statically|static dynamically|dynamic",
    "nullable non_null|not_null",
    "lazy|lazily eager|eagerly",
    "server_side|serverside client_side|clientside",
    "client server",
    "at_least_once at_most_once exactly_once",
    "round_robin least_connections ip_hash random",
    "lru lfu fifo_eviction",
    "row column",
    "inner outer",
    "singular plural",
    "lowercase|lower_case uppercase|upper_case",
    "relative absolute",
    "left right",
    "top bottom",
    "horizontal vertical",
    "ascending descending",
    "clockwise counterclockwise|anticlockwise",
    "red green blue yellow orange purple grey|gray pink brown black white",
    "big_endian little_endian",
    "longitude latitude",
    "portrait landscape",
    "dark light",
    "cash card",
    "in_memory|memory on_disk|disk",
    "cpu gpu",
    "hourly daily|nightly weekly|every_week fortnightly|biweekly monthly quarterly yearly|annually|annual",
    "monday tuesday wednesday thursday friday saturday sunday",
    "january february april june july august september october november december",
    "morning noon afternoon evening night|overnight",
    "manual|manually|by_hand automatic|automatically|automated",
    "paper electronic|electronically",
    "wired wireless|radio",
    "opt_in opt_out",
    "whitelist|allowlist blacklist|denylist|blocklist",
    "deny_all|default_deny allow_all",
    "primary replica|replicas|standby",
    "major minor patch",
    "first last",
    "up down",
    "before after",
];

/// Words for where, when and for whom a statement holds.
const SCOPES: &[&str] = &[
    "production|prod|live staging|stage|preprod test|testing|tests dev|development|develop|sandbox ci local|locally|laptop|laptops",
    "debug release|releases",
    "android ios|iphone web|browser|website desktop|windows|mac",
    "admins|admin|administrators|administrator guests|guest|visitors members|member|users|user owners|owner editors|editor viewers|viewer",
    "staff|employees|employee|internal customers|customer|clients external|partners|partner|contractors|contractor",
    "premium|paid|pro|enterprise free|trial|trials|basic|standard",
    "new existing|old|legacy",
    "frontend|front_end|client|ui backend|back_end|server",
    "public|external|outside private|internal|inside",
    "read|reads|reading write|writes|writing",
    "download|downloads upload|uploads",
    "import|imports export|exports",
    "inbound|incoming outbound|outgoing",
    "input|inputs output|outputs",
    "request|requests response|responses",
    "buyers|buyer sellers|seller",
    "readers|reader authors|author writers",
    "teachers|teacher students|student pupils",
    "doctors|doctor nurses|nurse patients|patient",
    "adults|adult children|child|minors",
    "men|man women|woman",
    "domestic international|foreign|abroad",
    "europe|eu us|usa|america asia germany france uk|britain switzerland",
    "weekdays|weekday|working_days weekends|weekend|sunday|sundays holidays",
    "day|daytime night|nights",
    "summer winter spring autumn",
    "indoor|indoors outdoor|outdoors",
    "online offline",
    "main|master|trunk feature|release",
    "primary secondary|replica|replicas|standby",
    "metrics logs traces",
    "tables views indexes|indices",
    "images|photos videos|video audio documents",
    "errors warnings",
    "unit|units integration end_to_end|e2e",
    "ranked casual|unranked|private_lobbies",
    "personal shared|team",
    "major minor patch",
    "first second third last",
    "north south east west",
    "front rear|back",
    "small large|big",
    "hot cold|warm",
    "cars|car trucks|truck buses|bus bikes|bike",
];

/// A member of a group.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) struct Member {
    /// The number of the group.
    pub(super) group: u16,
    /// The number of the thing in the group.
    pub(super) thing: u16,
}

struct Groups {
    members: HashMap<String, Vec<Member>>,
}

/// The most words of a member.
pub(super) const MEMBER_MAX_WORDS: usize = 3;

fn groups() -> &'static Groups {
    static GROUPS: OnceLock<Groups> = OnceLock::new();
    GROUPS.get_or_init(|| {
        let mut members: HashMap<String, Vec<Member>> = HashMap::new();
        for (group, things) in PRODUCTS.iter().chain(CHOICES).chain(SCOPES).enumerate() {
            for (thing, names) in things.split(' ').enumerate() {
                for name in names.split('|') {
                    let member = Member { group: group as u16, thing: thing as u16 };
                    members.entry(name.replace('_', " ")).or_default().push(member);
                }
            }
        }
        Groups { members }
    })
}

impl Member {
    /// Returns what the members of its group are.
    pub(super) fn kind(self) -> GroupKind {
        match usize::from(self.group) < PRODUCTS.len() + CHOICES.len() {
            true => GroupKind::Choice,
            false => GroupKind::Scope,
        }
    }
}

/// Returns the groups that a word or a phrase, in lower case, is a member of.
pub(super) fn members(phrase: &str) -> &'static [Member] {
    let members = &groups().members;
    let singular = || members.get(phrase.strip_suffix('s').filter(|word| word.len() > 3)?);
    members.get(phrase).or_else(singular).map_or(&[], Vec::as_slice)
}

/// Returns whether a word, in lower case, is the name of a product that may have a version.
pub(super) fn is_product(word: &str) -> bool {
    members(word).iter().any(|member| usize::from(member.group) < PRODUCTS.len())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn members_are_found_by_any_of_their_names() {
        assert_eq!(members("postgres"), members("postgresql"));
        assert_ne!(members("postgres"), members("mysql"));
        assert_eq!(members("postgres")[0].group, members("mysql")[0].group);
        assert_eq!(members("github actions")[0].kind(), GroupKind::Choice);
        assert_eq!(members("staging")[0].kind(), GroupKind::Scope);
        assert_eq!(members("mondays"), members("monday"));
        assert_eq!(members("giraffe"), []);
        assert!(is_product("node") && is_product("python"));
        assert!(!is_product("left"));
    }

    #[test]
    fn no_member_is_longer_than_what_is_looked_up() {
        let longest = groups().members.keys().map(|name| name.split(' ').count()).max();
        assert!(longest.is_some_and(|longest| longest <= MEMBER_MAX_WORDS));
    }
}
