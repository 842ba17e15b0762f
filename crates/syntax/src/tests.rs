//! What sources of each language state.

use heirloom_core::imports::SourceStatement::{self, Alias, File, Import, Module, Package};

use super::*;

fn check(path: &str, source: &str, expected: &[SourceStatement]) {
    assert_eq!(read_statements(path, source.as_bytes()), expected, "{path}: {source}");
}

fn imports(names: &[&str]) -> Vec<SourceStatement> {
    names.iter().map(|name| Import((*name).to_owned())).collect()
}

#[test]
fn rust_uses_and_modules() {
    let source = "use crate::a::{b::{self, C}, d::*, E as F};\nuse std::fs;\nuse super::x::Y;\nextern crate serde;\n";
    check(
        "src/m.rs",
        source,
        &imports(&["crate::a::b", "crate::a::d", "crate::a", "super::x", "serde"]),
    );
    let source = "mod a;\n#[cfg(test)]\n#[path = \"../t.rs\"]\nmod t;\nmod inner { pub mod deep; use super::a::b; }\n";
    check(
        "src/m.rs",
        source,
        &[
            Module("a".into()),
            File("../t.rs".into()),
            Module("inner/deep".into()),
            Import("self::a::b".into()),
        ],
    );
    check(
        "m.rs",
        "fn f() { crate::g::call::<u8>(1); let x: crate::h::T; }",
        &imports(&["crate::g::call", "crate::h"]),
    );
    check("m.rs", "mod tests { use super::*; }", &[]);
}

#[test]
fn python_imports() {
    let source =
        "import os.path, a.b as c\nfrom . import d\nfrom ..e import (f, g as h)\nfrom i import *\n";
    check("m.py", source, &imports(&["os.path", "a.b", ".d", "..e.f", "..e.g", "i"]));
    check("m.py", "def f():\n    from x import y\n", &imports(&["x.y"]));
}

#[test]
fn script_imports() {
    let source = "import a, { b } from './a';\nexport * from \"../c\";\nimport './side';\nconst d = require('d');\nimport e = require('e');\nconst f = () => import('./f');\nimport type { G } from '@/g';\n";
    let expected = imports(&["./a", "../c", "./side", "d", "e", "./f", "@/g"]);
    for path in ["m.ts", "m.tsx", "m.js", "m.mjs"] {
        check(path, source, &expected);
    }
    check("m.ts", "require(name); foo('./a')", &[]);
    check("m.ts", "let x = y as T; import './a';", &imports(&["./a"]));
    check("m.jsx", "let x = <T>y</T>; import './a';", &imports(&["./a"]));
}

#[test]
fn go_and_java_imports() {
    let source = "package main\nimport (\n\t\"fmt\"\n\tx \"example.com/a/b\"\n)\nimport \"c\"\n";
    check("m.go", source, &imports(&["fmt", "example.com/a/b", "c"]));
    let source = "package a;\nimport java.util.List;\nimport org.x.Foo;\nimport static org.x.Bar.of;\nimport org.y.*;\n";
    check("M.java", source, &imports(&["org.x.Foo", "org.x.Bar.of", "org.y.*"]));
}

#[test]
fn manifests() {
    let cargo = "[package]\nname = \"my-crate\" # here\n[dependencies]\nname = \"no\"\n[lib]\nname = 'mine'\n";
    check("a/Cargo.toml", cargo, &[Package("my-crate".into()), Package("mine".into())]);
    check("go.mod", "module example.com/a\n\ngo 1.22\n", &[Package("example.com/a".into())]);
    check(
        "package.json",
        "{\"name\": \"@me/a\", \"x\": {\"name\": \"no\"}}",
        &[Package("@me/a".into())],
    );
    let config = "{ // comment\n \"compilerOptions\": { \"baseUrl\": \"./src\", \"paths\": { \"@/*\": [\"*\", \"gen/*\"], }, },\n}";
    let alias = |pattern: &str, target: &str| Alias(pattern.into(), target.into());
    check(
        "tsconfig.json",
        config,
        &[alias("@/*", "./src/*"), alias("@/*", "./src/gen/*"), alias("*", "./src/*")],
    );
}

#[test]
fn files_of_other_kinds_state_nothing() {
    check("README.md", "import a", &[]);
    check("a.c", "#include \"b.h\"", &[]);
}

#[test]
fn hostile_sources_are_bounded() {
    let nested = |open: &str, close: &str| [open.repeat(60_000), close.repeat(60_000)].concat();
    for path in ["m.rs", "m.py", "m.ts", "m.go", "M.java", "tsconfig.json", "package.json"] {
        for source in [nested("(", ")"), nested("{", "}"), nested("[", ""), nested("<", ">")] {
            assert!(read_statements(path, source.as_bytes()).len() < 2, "{path}");
        }
        drop(read_statements(path, b"use crate::\xff\xfe; import a\xff from './\xff'; \0\0"));
    }
    let deep_use = format!("use crate::{}a{};", "a::{".repeat(10_000), "}".repeat(10_000));
    assert_eq!(read_statements("m.rs", deep_use.as_bytes()), []);
    let many: String = (0..5_000).map(|number| format!("import a{number}\n")).collect();
    assert_eq!(read_statements("m.py", many.as_bytes()).len(), 300);
    let long = format!("import {}", "a".repeat(100_000));
    assert_eq!(read_statements("m.py", long.as_bytes()), []);
}
