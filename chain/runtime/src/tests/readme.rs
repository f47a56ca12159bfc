//! The table of `README.md` says where each rule is tested. Every test and file that it names must exist.

use std::{fs, path::Path};

/// All test files below a folder.
fn tests_below(folder: &Path, found: &mut String) {
    for entry in fs::read_dir(folder).expect("a folder").map(|entry| entry.expect("an entry").path()) {
        if entry.is_dir() {
            tests_below(&entry, found);
        } else if entry.extension().is_some_and(|extension| extension == "rs") {
            found.push_str(&fs::read_to_string(&entry).expect("a text"));
        }
    }
}

#[test]
fn every_test_that_the_readme_names_exists() {
    let chain = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let mut tests = String::new();
    for pallet in ["did", "trust-registry", "revocation", "governance"] {
        tests_below(&chain.join("pallets").join(pallet).join("src/tests"), &mut tests);
    }
    tests_below(&chain.join("runtime/src/tests"), &mut tests);
    let readme = fs::read_to_string(chain.join("README.md")).expect("the README");
    let (_, table) = readme.split_once("## Where each rule is tested").expect("the table");
    let mut named = 0;
    for row in table.lines().filter(|line| line.starts_with("| ")) {
        let last = row.trim_end_matches(" |").rsplit(" | ").next().expect("a cell");
        if last == "tests" {
            continue;
        }
        let names: Vec<_> = last.split('`').skip(1).step_by(2).collect();
        assert!(!names.is_empty(), "no test: {row}");
        for name in names {
            let exists = if name.contains(['/', '.']) {
                chain.join(name).exists()
            } else {
                tests.contains(&format!("fn {name}("))
            };
            assert!(exists, "there is no test {name}");
            named += 1;
        }
    }
    assert!(named > 100, "the table was not found: {named}");
}
