// SPDX-License-Identifier: Apache-2.0
//! Listings of cubins are kept: the disassembler runs once for each. In a process of its own, as it sets
//! variables.

use std::fs;
use std::os::unix::fs::PermissionsExt;

use gpurf_workloads::binary;

#[test]
fn a_cubin_is_disassembled_once() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = |name: &str| folder.path().join(name);
    let [tools, elsewhere] = ["tools", "elsewhere"].map(path);
    // The disassembler's stand-in notes each run.
    let install = |folder: &std::path::Path, says: &str| {
        fs::create_dir_all(folder).expect("made");
        let tool = folder.join(binary::DISASSEMBLER);
        let script = format!("#!/bin/sh\necho run >> {}\necho {says} $1\n", path("runs").display());
        fs::write(&tool, script).expect("written");
        fs::set_permissions(&tool, fs::Permissions::from_mode(0o755)).expect("executable");
    };
    let runs = || fs::read_to_string(path("runs")).map_or(0, |text| text.lines().count());
    let cubin = |name: &str, last: u8| {
        let mut bytes = *b"\x7fELF                .";
        bytes[18..20].copy_from_slice(&[190, 0]);
        fs::write(path(name), [&bytes[..], &[last]].concat()).expect("written");
        path(name)
    };
    std::env::set_var("GPURF_CACHE", path("cache"));
    std::env::set_var("PATH", &tools);

    let missing = binary::listing(&cubin("a", 1)).expect_err("there is no disassembler");
    assert!(missing.contains("pip install nvidia-cuda-nvdisasm"), "{missing}");
    // From a folder that is not on PATH.
    install(&elsewhere, "elsewhere");
    assert_eq!(binary::listing_with(&cubin("a", 1), Some(&elsewhere)).as_deref(), Ok("elsewhere -hex\n"));
    // Kept, under another name too.
    install(&tools, "tools");
    assert_eq!(binary::listing(&cubin("b", 1)).as_deref(), Ok("elsewhere -hex\n"));
    assert_eq!(runs(), 1);
    assert_eq!(binary::listing(&cubin("b", 2)).as_deref(), Ok("tools -hex\n"));
    assert_eq!(runs(), 2);
    assert_eq!(fs::read_dir(path("cache")).expect("made").count(), 2, "nothing else is left");
    // A folder that cannot be had costs only time.
    fs::write(path("file"), "").expect("written");
    std::env::set_var("GPURF_CACHE", path("file"));
    assert_eq!(binary::listing(&cubin("b", 2)).as_deref(), Ok("tools -hex\n"));
    assert_eq!(runs(), 3);
}
