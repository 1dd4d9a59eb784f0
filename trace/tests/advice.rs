// SPDX-License-Identifier: Apache-2.0
//! Advice in messages is followed: what a message says then does not come back.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use gpurf_fixtures::OWN_TRACE;
use gpurf_trace::{open, write, Error};
use tempfile::TempDir;

/// A copy of a trace.
fn copy() -> TempDir {
    let folder = tempfile::tempdir().unwrap();
    for entry in fs::read_dir(OWN_TRACE).unwrap() {
        let path = entry.unwrap().path();
        fs::copy(&path, folder.path().join(path.file_name().unwrap())).unwrap();
    }
    folder
}

/// Reads everything.
fn read(path: &Path) -> Result<(), Error> {
    for command in open(path)?.commands {
        if let gpurf_trace::Command::Kernel(kernel) = command {
            let mut reader = kernel.open()?;
            while reader.next_block()?.is_some() {}
        }
    }
    Ok(())
}

/// Changes a text file.
fn edit(path: &Path, change: impl Fn(&str) -> String) {
    let text = fs::read_to_string(path).unwrap();
    let changed = change(&text);
    assert_ne!(text, changed, "{}", path.display());
    fs::write(path, changed).unwrap();
}

/// The name of an error's variant.
fn name(error: &Error) -> String {
    let text = format!("{error:?}");
    text.split(|c: char| !c.is_alphanumeric()).next().unwrap().into()
}

#[test]
fn advice_helps() {
    let mut covered = BTreeSet::new();
    // Does something wrong to a trace, sees what is said, follows it, and sees that it is not said again.
    let mut follow = |says: &str, wrong: &dyn Fn(&Path), remedy: &dyn Fn(&Path) -> Result<(), Error>| {
        let folder = copy();
        wrong(folder.path());
        let error = read(folder.path()).unwrap_err();
        let message = error.to_string();
        assert!(message.contains(says), "`{says}` is not in: {message}");
        covered.insert(name(&error));
        let after = remedy(folder.path()).err().map(|error| error.to_string());
        assert_ne!(after.as_ref(), Some(&message), "after `{says}`");
    };
    let kernel = |folder: &Path| {
        let list = fs::read_to_string(folder.join("kernelslist.g")).unwrap();
        folder.join(list.lines().find(|line| line.starts_with("kernel")).unwrap())
    };
    let header = |folder: &Path, key: &str, value: &str| {
        edit(&kernel(folder), |text| {
            let lines = text.lines().map(|line| match line.starts_with(&format!("-{key} =")) {
                true => format!("-{key} = {value}\n"),
                false => format!("{line}\n"),
            });
            lines.collect()
        });
    };
    let list = |folder: &Path, change: &dyn Fn(&str) -> String| edit(&folder.join("kernelslist.g"), change);

    for (key, wrong, right) in [("nregs", "21955", "32"), ("shmem", "999999999", "0")] {
        follow("correct it", &|folder| header(folder, key, wrong), &|folder| {
            header(folder, key, right);
            read(folder)
        });
    }
    follow(
        "versions 2 to 6, and 1.2, are read",
        &|folder| header(folder, "accelsim tracer version", "7"),
        &|folder| {
            header(folder, "accelsim tracer version", "5");
            read(folder)
        },
    );
    let lost = |folder: &Path| list(folder, &|text| format!("{text}kernel-77.traceg\n"));
    follow("put it beside the list", &lost, &|folder| {
        fs::copy(kernel(folder), folder.join("kernel-77.traceg")).unwrap();
        read(folder)
    });
    follow("take its line out", &lost, &|folder| {
        list(folder, &|text| text.replace("kernel-77.traceg\n", ""));
        read(folder)
    });
    let unlisted = |folder: &Path| fs::remove_file(folder.join("kernelslist.g")).unwrap();
    follow("name the folder of a trace", &unlisted, &|_| read(Path::new(OWN_TRACE)));
    follow("or a .traceg file itself", &unlisted, &|folder| {
        let first = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
        read(&first.filter(|path| path.to_string_lossy().contains(".traceg")).min().unwrap())
    });
    follow("name a list that does", &|folder| list(folder, &|_| "#\n".into()), &|folder| {
        fs::copy(Path::new(OWN_TRACE).join("kernelslist.g"), folder.join("kernelslist.g")).unwrap();
        read(folder)
    });
    let contexts = |folder: &Path| {
        let list = folder.join("kernelslist.g");
        for context in ["0x1", "0x2"] {
            fs::copy(&list, folder.join(format!("kernelslist_ctx_{context}.g"))).unwrap();
        }
        fs::remove_file(list).unwrap();
    };
    follow("name one of them: kernelslist_ctx_0x1.g", &contexts, &|folder| {
        read(&folder.join("kernelslist_ctx_0x1.g"))
    });
    let taken = copy();
    let workload = open(OWN_TRACE).unwrap();
    let error = write(&workload, taken.path()).unwrap_err();
    let message = error.to_string();
    assert!(message.contains("remove it or choose another folder"), "{message}");
    write(&workload, taken.path().join("another")).unwrap();
    fs::remove_dir_all(taken.path()).unwrap();
    write(&workload, taken.path()).unwrap();
    covered.insert(name(&error));

    // Variants whose messages have a remedy.
    let variants = include_str!("../src/error.rs").split("#[error(").skip(1).filter_map(|part| {
        let (message, rest) = part.split_once(")]")?;
        let name = rest.trim_start().split(|c: char| !c.is_alphanumeric()).next()?;
        ["; ", ": trace with "].iter().any(|mark| message.contains(mark)).then_some(name.to_string())
    });
    // These say that a file is not what it was: another one is to be had.
    let lost = ["Io", "Empty", "Packed", "Tracez", "Garbled", "Truncated"].map(String::from);
    let advisers: BTreeSet<String> = variants.filter(|name| !lost.contains(name)).collect();
    // `already exists; remove it`.
    assert_eq!(covered, advisers);
}
