//! Imports between the files of small repositories.

use super::*;

/// Returns the paths that a file imports, among some files.
fn imported(
    paths: &[&str],
    manifests: &[(&str, SourceStatement)],
    from: &str,
    statements: &[SourceStatement],
) -> Vec<String> {
    let plain = paths.iter().map(|path| (*path, &[][..]));
    let stating = manifests.iter().map(|(path, it)| (*path, std::slice::from_ref(it)));
    let all: Vec<(&str, &[SourceStatement])> = plain.chain(stating).collect();
    let numbered =
        all.iter().zip(0..).map(|((path, statements), number)| (number, *path, *statements));
    let files = SourceFiles::new(numbered);
    let found = files.imports(from, statements).into_iter();
    found.map(|number| all[number as usize].0.to_owned()).collect()
}

fn import(name: &str) -> SourceStatement {
    SourceStatement::Import(name.to_owned())
}

fn package(name: &str) -> SourceStatement {
    SourceStatement::Package(name.to_owned())
}

#[test]
fn rust_modules_are_found_in_their_crate_and_in_others() {
    let paths = [
        "crates/core/src/lib.rs",
        "crates/core/src/fold.rs",
        "crates/core/src/fold/item.rs",
        "crates/core/src/fold/tests.rs",
        "crates/core/src/old/mod.rs",
        "crates/cli/src/main.rs",
        "crates/cli/tests/all.rs",
        "crates/cli/tests/helper/mod.rs",
    ];
    let manifests =
        [("crates/core/Cargo.toml", package("my-core")), ("crates/cli/Cargo.toml", package("cli"))];
    let found = |from, statements: &[_]| imported(&paths, &manifests, from, statements);
    let fold = "crates/core/src/fold.rs";
    let item = "crates/core/src/fold/item.rs";
    assert_eq!(found("crates/core/src/lib.rs", &[import("crate::fold::item")]), [item]);
    assert_eq!(
        found(item, &[import("super::Fold"), import("crate::old")]),
        [fold, "crates/core/src/old/mod.rs"]
    );
    assert_eq!(found(item, &[import("super::super::Error")]), ["crates/core/src/lib.rs"]);
    assert_eq!(found(fold, &[import("item")]), [item]);
    assert_eq!(found(fold, &[import("self::item")]), [item]);
    let tests = SourceStatement::Module("tests".to_owned());
    assert_eq!(found(fold, &[tests]), ["crates/core/src/fold/tests.rs"]);
    let core = [import("my_core::fold::item"), import("my_core"), import("serde::Serialize")];
    assert_eq!(found("crates/cli/src/main.rs", &core), [item, "crates/core/src/lib.rs"]);
    let helper = SourceStatement::Module("helper".to_owned());
    let test_helper = "crates/cli/tests/helper/mod.rs";
    assert_eq!(found("crates/cli/tests/all.rs", &[helper]), [test_helper]);
    let by_path = SourceStatement::File("../src/main.rs".to_owned());
    assert_eq!(found("crates/cli/tests/all.rs", &[by_path]), ["crates/cli/src/main.rs"]);
}

#[test]
fn python_modules_are_found_from_the_root_and_from_the_package() {
    let paths = [
        "src/flask/__init__.py",
        "src/flask/app.py",
        "src/flask/json/__init__.py",
        "src/flask/json/tag.py",
        "tests/test_app.py",
        "tests/helper.py",
    ];
    let found = |from, name: &str| imported(&paths, &[], from, &[import(name)]);
    assert_eq!(found("tests/test_app.py", "flask.app.Flask"), ["src/flask/app.py"]);
    assert_eq!(found("tests/test_app.py", "flask"), ["src/flask/__init__.py"]);
    assert_eq!(found("tests/test_app.py", "helper"), ["tests/helper.py"]);
    assert_eq!(found("src/flask/json/tag.py", "..app.Flask"), ["src/flask/app.py"]);
    assert_eq!(found("src/flask/json/tag.py", ".dumps"), ["src/flask/json/__init__.py"]);
    assert_eq!(found("src/flask/app.py", "os.path"), [""; 0]);
    assert_eq!(found("src/flask/app.py", "......far"), [""; 0]);
}

#[test]
fn scripts_are_found_by_path_alias_and_package() {
    let paths = ["web/src/a.ts", "web/src/ui/index.tsx", "web/src/b.js", "lib/src/index.ts"];
    let manifests = [
        ("web/tsconfig.json", SourceStatement::Alias("@/*".to_owned(), "./src/*".to_owned())),
        ("lib/package.json", package("@me/lib")),
    ];
    let found = |name: &str| imported(&paths, &manifests, "web/src/b.js", &[import(name)]);
    assert_eq!(found("./a"), ["web/src/a.ts"]);
    assert_eq!(found("./a.js"), ["web/src/a.ts"]);
    assert_eq!(found("./ui"), ["web/src/ui/index.tsx"]);
    assert_eq!(found("@/ui"), ["web/src/ui/index.tsx"]);
    assert_eq!(found("@me/lib"), ["lib/src/index.ts"]);
    assert_eq!(found("react"), [""; 0]);
    assert_eq!(found("../../../../etc/passwd"), [""; 0]);
}

#[test]
fn go_imports_the_files_of_a_package_without_tests() {
    let paths = ["go.mod", "server/a.go", "server/a_test.go", "server/b.go", "main.go"];
    let manifests = [("go.mod", package("example.com/app"))];
    let found = |name: &str| imported(&paths[1..], &manifests, "main.go", &[import(name)]);
    assert_eq!(found("example.com/app/server"), ["server/a.go", "server/b.go"]);
    assert_eq!(found("fmt"), [""; 0]);
    assert_eq!(found("example.com/application"), [""; 0]);
}

#[test]
fn java_imports_classes_members_and_packages() {
    let paths = ["app/src/main/java/org/x/Foo.java", "app/src/test/java/org/x/FooTest.java"];
    let found = |name: &str| imported(&paths, &[], "Main.java", &[import(name)]);
    assert_eq!(found("org.x.Foo"), [paths[0]]);
    assert_eq!(found("org.x.Foo.Inner.member"), [paths[0]]);
    assert_eq!(found("org.x.*"), paths);
    assert_eq!(found("org.y.Foo"), [""; 0]);
    assert_eq!(found("Foo"), [""; 0]);
}

#[test]
fn a_file_imports_no_file_twice_and_not_itself() {
    let found =
        imported(&["a.ts", "b.ts"], &[], "a.ts", &[import("./b"), import("./b.ts"), import("./a")]);
    assert_eq!(found, ["b.ts"]);
}
