// SPDX-License-Identifier: Apache-2.0
//! Every function that the CUDA headers declare for device code, compiled in a kernel of its own.

use std::collections::BTreeSet;
use std::fmt::Write;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use gpurf_workloads::Module;

use crate::function::Function;
use crate::report::CorpusReport;
use crate::Result;

/// Where functions are declared, beside templates.
const HEADERS: [&str; 18] = [
    "crt/device_functions.h",
    "crt/device_double_functions.h",
    "crt/math_functions.h",
    "crt/sm_70_rt.h",
    "crt/common_functions.h",
    "device_atomic_functions.h",
    "sm_20_atomic_functions.h",
    "sm_20_intrinsics.h",
    "sm_30_intrinsics.h",
    "sm_32_atomic_functions.h",
    "sm_32_intrinsics.h",
    "sm_35_intrinsics.h",
    "sm_60_atomic_functions.h",
    "sm_61_intrinsics.h",
    "cuda_fp16.h",
    "cuda_bf16.h",
    "cuda_fp8.h",
    "cuda_awbarrier_primitives.h",
];

/// Types of parameters and results, as the headers spell them.
const TYPES: &str = "bool|char|signed char|short|short int|int|long|long int|long long|long long int|unsigned char|\
    unsigned short|unsigned short int|unsigned|unsigned int|unsigned long|unsigned long int|unsigned long long|\
    unsigned long long int|size_t|clock_t|float|double|char2|char4|uchar2|uchar4|short2|short4|ushort2|ushort4|int2|\
    int4|uint2|uint4|longlong2|ulonglong2|float2|float4|double2|__half|__half2|__nv_bfloat16|__nv_bfloat162|\
    __half_raw|__half2_raw|__nv_fp8_storage_t|__nv_fp8x2_storage_t";

/// Compiles and runs them. Sources and listings are kept in a folder of the build directory.
pub fn functions(cuda: &Path) -> Result<CorpusReport> {
    let target = std::env::var_os("CARGO_TARGET_DIR")
        .map_or_else(|| Path::new(env!("CARGO_MANIFEST_DIR")).join("../target"), PathBuf::from);
    let out = target.join("corpus");
    fs::create_dir_all(&out)?;
    let mut declared_in_all = 0;
    let mut report = CorpusReport::default();
    for header in HEADERS {
        let text = fs::read_to_string(cuda.join("include").join(header))?;
        let functions: Vec<Function> = declared(&text).into_iter().collect();
        let stem = out.join(header.trim_end_matches(".h").replace('/', "_"));
        let listing = stem.with_extension("sass");
        if !listing.exists() {
            compile(cuda, &functions, &stem)?;
        }
        declared_in_all += functions.len();
        // Of some headers nothing compiles.
        if listing.exists() {
            let module = Module::parse(&listing.display().to_string(), &fs::read_to_string(&listing)?)?;
            crate::functions::add(&mut report, &module, &functions);
        }
    }
    println!("{} of {declared_in_all} functions of the CUDA headers compile for sm_75", report.count());
    Ok(report)
}

/// The folder of the compiler.
pub fn cuda() -> Result<PathBuf> {
    let workloads = Path::new(env!("CARGO_MANIFEST_DIR"));
    let environment =
        std::env::var_os("GPURF_CUDA").map_or_else(|| workloads.join("../.venv-cuda"), PathBuf::from);
    let message = || format!("{}: no compiler; run workloads/build", environment.display());
    for entry in fs::read_dir(environment.join("lib")).map_err(|_| message())? {
        let found = entry?.path().join("site-packages/nvidia/cu13");
        if found.exists() {
            return Ok(found);
        }
    }
    Err(message().into())
}

/// Functions that a header declares or defines outside of classes and templates, each once.
fn declared(header: &str) -> BTreeSet<Function> {
    let text = without_comments(header);
    let mut found = BTreeSet::new();
    for (open, _) in text.match_indices('(') {
        let inner = &text[open + 1..];
        let Some(end) = inner.find([')', '(']).filter(|&at| inner[at..].starts_with(')')) else { continue };
        let list = &inner[..end];
        let before = &text[..open];
        let start = before.rfind([';', '}', '{', ')', ':', '>']).map_or(0, |at| at + 1);
        let words: Vec<_> = before[start..].split_whitespace().collect();
        let Some((name, words)) = words.split_last() else { continue };
        let device = |word: &&str| *word == "__device__" || word.ends_with("_DECL__");
        if !words.iter().any(device) || words.contains(&"template") {
            continue;
        }
        let result = words.iter().filter(|word| !is_attribute(word)).copied().collect::<Vec<_>>().join(" ");
        let parameters: Option<Vec<_>> = match list.trim() {
            "" | "void" => Some(vec![]),
            list => list.split(',').map(parameter).collect(),
        };
        if let (Some(parameters), true) = (parameters, result == "void" || is_type(&result)) {
            found.insert(Function { result, name: name.to_string(), parameters });
        }
    }
    found
}

fn is_attribute(word: &str) -> bool {
    let capitals = || word.chars().all(|c| c == '_' || c.is_ascii_uppercase() || c.is_ascii_digit());
    word.starts_with("__") && (word.ends_with("__") || capitals())
        || matches!(word, "extern" | "static" | "inline")
}

fn is_type(name: &str) -> bool {
    TYPES.split('|').any(|known| known == name)
}

/// The type of a parameter; a pointer ends in a star.
fn parameter(text: &str) -> Option<String> {
    let text = text.split('=').next()?.replace('*', " * ");
    let words: Vec<_> = text
        .split_whitespace()
        .filter(|word| !matches!(*word, "const" | "volatile" | "__restrict__"))
        .collect();
    let pointer = words.iter().filter(|word| **word == "*").count();
    let words: Vec<_> = words.into_iter().filter(|word| *word != "*").collect();
    // With the parameter's name, or without.
    let name = [words.len().checked_sub(1)?, words.len()]
        .map(|count| words[..count].join(" "))
        .into_iter()
        .rev()
        .find(|name| is_type(name))?;
    match pointer {
        0 => Some(name),
        1 => Some(name + "*"),
        _ => None,
    }
}

fn without_comments(text: &str) -> String {
    let mut plain = String::new();
    let mut rest = text;
    while let Some(at) = rest.find("/*") {
        plain += &rest[..at];
        rest = rest[at..].split_once("*/").map_or("", |(_, rest)| rest);
    }
    plain += rest;
    let code = |line: &str| line.split("//").next().unwrap_or_default().to_string();
    plain.lines().filter(|line| !line.trim_start().starts_with('#')).map(|line| code(line) + "\n").collect()
}

/// Compiles the functions, without those that the compiler refuses.
fn compile(cuda: &Path, functions: &[Function], stem: &Path) -> Result<()> {
    let [source, cubin, listing] = ["cu", "cubin", "sass"].map(|extension| stem.with_extension(extension));
    let mut kept: Vec<(usize, &Function)> = functions.iter().enumerate().collect();
    let preamble = "#include <cuda_fp16.h>\n#include <cuda_bf16.h>\n#include <cuda_fp8.h>\n\
                    #include <cuda_awbarrier_primitives.h>\n";
    let first_line = preamble.lines().count() + 1;
    while !kept.is_empty() {
        // A kernel to a line, so that messages tell which.
        let kernels: String = kept.iter().map(|&(number, function)| kernel(number, function)).collect();
        fs::write(&source, preamble.to_string() + &kernels)?;
        let mut nvcc = Command::new(cuda.join("bin/nvcc"));
        nvcc.args(["-O3", "-arch=sm_75", "-cubin", "-w", "-Xcudafe", "--error_limit=10000", "-o"]);
        let output = nvcc.arg(&cubin).arg(&source).output()?;
        if output.status.success() {
            let output = Command::new(cuda.join("bin/nvdisasm")).arg("-hex").arg(&cubin).output()?;
            fs::write(&listing, output.stdout)?;
            fs::remove_file(&cubin)?;
            break;
        }
        let messages = String::from_utf8_lossy(&output.stderr) + String::from_utf8_lossy(&output.stdout);
        let refused = refused(&messages, &source.display().to_string(), first_line, &kept);
        if refused.is_empty() {
            return Err(format!("{}: {messages}", source.display()).into());
        }
        kept.retain(|(number, _)| !refused.contains(number));
    }
    Ok(())
}

/// Numbers of the functions that messages of the compiler or the assembler are about.
fn refused(messages: &str, source: &str, first_line: usize, kept: &[(usize, &Function)]) -> BTreeSet<usize> {
    let mut refused = BTreeSet::new();
    for message in messages.lines() {
        let line = message.strip_prefix(source).and_then(|rest| rest.strip_prefix('('));
        let line = line.and_then(|rest| rest.split(')').next()?.parse::<usize>().ok());
        let place = line.and_then(|line| line.checked_sub(first_line));
        refused.extend(place.and_then(|place| kept.get(place)).map(|(number, _)| number));
        // The assembler and the linker name kernels or functions.
        for word in message.split(|c: char| !c.is_ascii_alphanumeric() && c != '_') {
            let number: Option<usize> =
                word.strip_prefix("kernel_").and_then(|rest| rest.split('_').next()?.parse().ok());
            refused.extend(number);
            let named = kept.iter().find(|(_, function)| line.is_none() && function.name == word);
            refused.extend(named.map(|(number, _)| number));
        }
    }
    refused
}

/// A kernel that calls a function with elements of arrays.
fn kernel(number: usize, function: &Function) -> String {
    let Function { result, name, parameters } = function;
    let (mut list, mut arguments) = (vec![], vec![]);
    for (i, parameter) in parameters.iter().enumerate() {
        let element = parameter.trim_end_matches('*');
        list.push(format!("{element} *p{i}"));
        arguments.push(match parameter.ends_with('*') {
            true => format!("p{i} + threadIdx.x"),
            false => format!("p{i}[threadIdx.x]"),
        });
    }
    let mut call = format!("{name}({})", arguments.join(", "));
    if result != "void" {
        list.push(format!("{result} *result"));
        call = format!("result[threadIdx.x] = {call}");
    }
    let mut text = String::new();
    writeln!(text, "extern \"C\" __global__ void kernel_{number}_{name}({}) {{ {call}; }}", list.join(", "))
        .expect("to memory");
    text
}
