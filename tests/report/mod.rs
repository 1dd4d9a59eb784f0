// SPDX-License-Identifier: Apache-2.0
//! `gpurf report`: the page holds what it promises, and a browser has nothing to complain of.

mod dom;

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use assert_cmd::Command;
use dom::Element;
use gpurf_fixtures::skipped;
use gpurf_synth::Paper;
use gpurf_verilog::tools::Tool;
use gpurf_workloads::suite::MALEKEH;
use tempfile::TempDir;

fn gpurf(arguments: &[&str]) {
    Command::cargo_bin("gpurf").expect("the tool is built").args(arguments).assert().success();
}

/// The page of all workloads under two designs, beside a kept study of one workload; made once.
fn page() -> &'static Path {
    static PAGE: OnceLock<(TempDir, PathBuf)> = OnceLock::new();
    let (_, path) = PAGE.get_or_init(|| {
        let folder = tempfile::tempdir().expect("a folder");
        let results = folder.path().display().to_string();
        let study = folder.path().join("register_cache").display().to_string();
        gpurf(&["compare", "register-cache", "nn", "--out", &study]);
        gpurf(&["report", "--designs", "malekeh", "--results", &results]);
        let path = folder.path().join("report.html");
        (folder, path)
    });
    path
}

fn text() -> String {
    fs::read_to_string(page()).expect("the page")
}

fn parsed() -> Element {
    dom::parse(&text()).unwrap_or_else(|error| panic!("{error}"))
}

fn texts(elements: Vec<&Element>) -> Vec<String> {
    elements.into_iter().map(Element::text).collect()
}

#[test]
fn it_is_html_and_stands_alone() {
    let (text, page) = (text(), parsed());
    for outside in ["http:", "https:", " src=", "@import", "url(", "<iframe", "<object"] {
        assert!(!text.contains(outside), "{outside}");
    }
    for target in page.elements().into_iter().filter_map(|element| element.attributes.get("href")) {
        match target.strip_prefix('#') {
            Some(id) => {
                page.by_id(id);
            }
            None => assert_eq!(target, "data:,"),
        }
    }
}

#[test]
fn every_claim_stands_in_it() {
    let page = parsed();
    let claims: Vec<String> =
        page.by_id("claims-table").rows().into_iter().map(|row| row.join("\n")).collect();
    let has = |parts: &[&str]| claims.iter().any(|claim| parts.iter().all(|part| claim.contains(part)));
    for paper in Paper::all() {
        for claim in &paper.claims {
            assert!(has(&[&claim.quote, &claim.section]), "{} {}", paper.key, claim.id);
        }
    }
    let files = [
        ("malekeh-evaluation", "design"),
        ("finereg-evaluation", "design"),
        ("multicast-evaluation", "design"),
        ("operand-stage-evaluation", "design"),
        ("register-cache-evaluation", "says"),
    ];
    for (file, what) in files {
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("papers/{file}.toml"));
        let text = fs::read_to_string(path).expect("claims");
        let claims: toml::Table = text.parse().expect("TOML");
        for claim in claims
            .get("claim")
            .or(claims.get("counted"))
            .and_then(|claims| claims.as_array())
            .expect("claims")
        {
            let [section, what] = ["section", what].map(|field| claim[field].as_str().expect("a text"));
            assert!(has(&[section, what]), "{file}: {claim}");
        }
    }
    // Those that were run have a number of this run, the others a recorded one with its command and what it
    // ran on.
    let own = ["§VI-B2, Fig. 13", "malekeh, hit ratio", "gpurf compare malekeh --designs malekeh"];
    assert!(has(&[&own[..], &["measured: 27 inputs, small, version "]].concat()));
    let recorded =
        ["finereg, IPC", "gpurf compare finereg --size medium", "recorded: 18 inputs, medium, version "];
    assert!(has(&recorded));
    // A quote whose number another command measures has that number too.
    assert!(has(&["46.4% RF cache hit ratio", "37.4", "within a third: −19%"]));
    let open: Vec<_> = claims.iter().filter(|claim| claim.contains("not measured")).collect();
    assert!(open.len() < 10, "{open:?}");
}

/// Without recorded results, what was not measured has the command that measures it.
#[test]
fn claims_without_a_number_have_a_command() {
    let folder = tempfile::tempdir().expect("a folder");
    let results = folder.path().display().to_string();
    gpurf(&["report", "nn", "--designs", "malekeh", "--results", &results, "--recorded", &results]);
    let text = fs::read_to_string(folder.path().join("report.html")).expect("the page");
    let page = dom::parse(&text).unwrap_or_else(|error| panic!("{error}"));
    let claims: Vec<String> =
        page.by_id("claims-table").rows().into_iter().map(|row| row.join("\n")).collect();
    let has = |parts: &[&str]| claims.iter().any(|claim| parts.iter().all(|part| claim.contains(part)));
    assert!(has(&["finereg, IPC", "not measured", "gpurf compare finereg"]));
    // One workload of all is no average of the paper's.
    assert!(has(&["malekeh, hit ratio, %, average", "no verdict: 1 of 27 inputs"]));
}

#[test]
fn it_opens_with_a_summary() {
    let page = parsed();
    let sections: Vec<_> = page.all("section").into_iter().map(|one| one.attributes["id"].clone()).collect();
    assert_eq!(sections[0], "summary");
    let summary = page.by_id("summary");
    let rows = summary.all("table")[0].rows();
    assert_eq!(rows.len(), Paper::all().len());
    let count = |cell: &String| cell.parse::<usize>().expect("a count");
    for row in &rows {
        assert!(row[2..].iter().map(count).sum::<usize>() > 0, "{row:?}");
    }
    let sentences = texts(summary.all("li"));
    assert!(sentences.iter().any(|text| text.starts_with("F: ")
        && text.contains(
            "hit ratio, %, average: 46.4 claimed, 37.4 here (27 inputs, small), within a third: −19%"
        )));
    let words = texts(summary.all("dt"));
    for word in ["within a third", "no verdict", "CCU", "STHLD"] {
        assert!(words.iter().any(|known| known == word), "{word}");
    }
}

/// Texts in cells are dark as cells are light; labels have the colour of the page, and are not cut.
#[test]
fn labels_are_seen_in_both_modes() {
    let page = parsed();
    let number = |element: &Element, name: &str| element.attributes[name].parse::<f64>().expect("a number");
    let texts = page.by_id("stalls").all("text");
    let (labels, others): (Vec<&Element>, Vec<&Element>) =
        texts.into_iter().partition(|text| ["baseline", "malekeh"].contains(&text.text().as_str()));
    assert_eq!(labels.len(), 2);
    assert!(labels.iter().all(|label| !label.is("in-cell")));
    assert!(others.iter().filter(|text| text.text().parse::<f64>().is_ok()).all(|text| text.is("in-cell")));
    for svg in
        page.elements().into_iter().filter(|figure| figure.is("own")).flat_map(|figure| figure.all("svg"))
    {
        for text in svg.all("text") {
            let at_end = text.attributes.get("text-anchor").is_some_and(|anchor| anchor == "end");
            // A letter of 12 pixels is about 6 wide.
            let width = 6.0 * text.text().chars().count() as f64;
            let x = number(text, "x");
            let start = if at_end { x - width } else { x };
            assert!(start >= 0.0 && x <= number(svg, "width"), "`{}` is cut", text.text());
        }
    }
    let style = page.all("style")[0].text();
    assert!(!style.contains("+ text"), "a rule for what follows a cell is one for the next row's label too");
}

#[test]
fn every_workload_and_every_section_has_its_rows() {
    let page = parsed();
    let workloads = page.by_id("workloads");
    let names: Vec<_> = workloads.all("table")[0].rows().into_iter().map(|row| row[0].clone()).collect();
    let suite: Vec<_> = MALEKEH.iter().map(|benchmark| benchmark.name.to_string()).collect();
    assert_eq!(names, suite);
    assert_eq!(workloads.all("details")[0].rows().len(), 2 * MALEKEH.len());
    for design in ["baseline", "malekeh"] {
        assert!(texts(page.by_id("stalls").all("text")).iter().any(|text| text == design), "{design}");
        assert!(texts(page.by_id("waveforms").all("h3")).iter().any(|text| text == design), "{design}");
    }
    let plots = page.by_id("plots");
    // Reuse distances; six metrics, a curve and two of STHLD; four metrics of register caches under three
    // readings.
    let pictures = plots.all("figure").into_iter().filter(|figure| figure.is("plot")).count();
    // Two of the nine open the page.
    assert_eq!(pictures, 1 + 7 + 12);
    assert_eq!(plots.all("details").len(), pictures, "each with its data");
    let summary = page.by_id("summary");
    assert_eq!(summary.all("figure").len(), 2);
    let averages: Vec<_> = summary.all("table").into_iter().map(Element::rows).collect();
    let designs = averages.iter().find(|rows| rows.iter().any(|row| row[0] == "malekeh"));
    assert!(designs.is_some_and(|rows| rows[0].len() > 5), "the averages of all designs: {averages:?}");
    assert_eq!(plots.all("time").len(), 1, "the kept study has its date");
    let commands: Vec<_> = page.by_id("commands").rows().into_iter().map(|row| row[1].clone()).collect();
    for command in
        ["gpurf compare register-cache", "gpurf compare finereg", "gpurf sim b+tree --design malekeh"]
    {
        assert!(commands.iter().any(|line| line.contains(command)), "{command}: {commands:?}");
    }
}

#[test]
fn waveforms_show_instructions() {
    let page = parsed();
    let waveforms = page.by_id("waveforms");
    let names = texts(waveforms.all("text"));
    for signal in ["issued", "issue[1:0]", "bank_read[1:0]", "ready[7:0]"] {
        let count = names.iter().filter(|name| *name == signal).count();
        assert!(count >= 2, "{signal}: {count}");
    }
    // A line that rises: an instruction issues.
    fn moves(path: &str) -> Vec<&str> {
        path.split('V').skip(1).filter_map(|part| part.split('H').next()).collect()
    }
    let is_moving = |path: &str| moves(path).windows(2).any(|pair| pair[0] != pair[1]);
    let paths = waveforms.all("path");
    assert!(paths.iter().filter(|path| is_moving(&path.attributes["d"])).count() >= 3);
}

#[test]
fn a_kept_file_that_is_damaged_is_named() {
    let folder = tempfile::tempdir().expect("a folder");
    fs::create_dir(folder.path().join("finereg")).expect("made");
    fs::write(folder.path().join("finereg/study.json"), "{").expect("written");
    let results = folder.path().display().to_string();
    let mut command = Command::cargo_bin("gpurf").expect("the tool is built");
    let assert =
        command.args(["report", "nn", "--designs", "malekeh", "--results", &results]).assert().code(2);
    let message = String::from_utf8_lossy(&assert.get_output().stderr).into_owned();
    assert!(message.contains("finereg/study.json"), "{message}");
    assert!(!folder.path().join("report.html").exists());
}

/// Runs the browser on a page; what it wrote on both streams.
fn browse(page: &Path, arguments: &[&str]) -> (String, String) {
    let profile = tempfile::tempdir().expect("a folder");
    let mut command = Tool::Chromium.command().expect("found before");
    command.args([
        "--headless",
        "--no-sandbox",
        "--disable-gpu",
        "--enable-logging=stderr",
        "--virtual-time-budget=5000",
    ]);
    command.arg(format!("--user-data-dir={}", profile.path().display())).args(arguments);
    let output = command.arg(format!("file://{}", page.display())).output().expect("the browser starts");
    let [printed, logged] =
        [output.stdout, output.stderr].map(|text| String::from_utf8_lossy(&text).into_owned());
    assert!(output.status.success(), "{logged}");
    (printed, logged)
}

/// Measures every text that is seen: its contrast to what is behind it, and if something cuts it. The page
/// is no wider than the window.
const MEASURES: &str = r#"
const numbers = (text) => (text.match(/[\d.]+/g) ?? []).map(Number);
const light = (text) => {
  const part = numbers(text).slice(0, 3).map((c) => (c /= 255) <= 0.03928 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4);
  return 0.2126 * part[0] + 0.7152 * part[1] + 0.0722 * part[2];
};
const isSolid = (text) => /^rgb/.test(text) && (numbers(text)[3] ?? 1) > 0.5;
const contrast = (one, other) => {
  const [dark, bright] = [light(one), light(other)].sort((a, b) => a - b);
  return (bright + 0.05) / (dark + 0.05);
};
const found = [];
const isOwn = (node) => [...node.childNodes].some((child) => child.nodeType === 3 && child.data.trim());
for (const details of document.querySelectorAll("details")) details.open = true;
for (const element of document.body.querySelectorAll("*")) {
  if (!isOwn(element) || element.closest("script, style") || !element.getClientRects().length) continue;
  const box = element.getBoundingClientRect(), style = getComputedStyle(element), svg = element.closest("svg");
  const name = element.textContent.trim().slice(0, 40);
  if (svg) {
    const frame = svg.getBoundingClientRect();
    if (box.left < frame.left - 2 || box.right > frame.right + 2) found.push("cut: " + name);
  } else if (!element.closest(".scroll, pre") && box.right > innerWidth + 1) {
    found.push("beyond the window: " + name);
  }
  // Colours of drawn plots are turned over together.
  if (element.closest("figure.plot")) continue;
  element.scrollIntoView({ block: "center", inline: "center" });
  const seen = element.getBoundingClientRect();
  const behind = document.elementsFromPoint(seen.left + seen.width / 2, seen.top + seen.height / 2)
    .filter((other) => other !== element && !element.contains(other));
  const colours = behind.map((other) => {
    const own = getComputedStyle(other);
    return other instanceof SVGElement && other.tagName !== "svg" ? own.fill : own.backgroundColor;
  });
  const back = colours.find(isSolid) ?? getComputedStyle(document.body).backgroundColor;
  const ink = svg ? style.fill : style.color;
  if (isSolid(ink) && contrast(ink, back) < 3) found.push(`faint, ${ink} on ${back}: ${name}`);
}
if (document.documentElement.scrollWidth > innerWidth + 1) found.push("the page is wider than the window");
const list = document.createElement("pre");
list.id = "found";
list.textContent = found.join("\n");
document.body.append(list);
"#;

#[test]
fn every_text_is_seen_in_both_modes_and_on_a_phone() {
    if Tool::Chromium.find().is_err() {
        return skipped("there is no Chromium");
    }
    let folder = tempfile::tempdir().expect("a folder");
    let measured = folder.path().join("measured.html");
    let script = format!("<script>addEventListener('load', () => {{ {MEASURES} }});</script></body>");
    fs::write(&measured, text().replacen("</body>", &script, 1)).expect("written");
    for (width, dark) in [(1280, false), (1280, true), (400, false), (400, true)] {
        let size = format!("--window-size={width},900");
        let colours = format!("--blink-settings=preferredColorScheme={}", u8::from(!dark));
        let (document, _) = browse(&measured, &[&size, &colours, "--dump-dom"]);
        let found = document.split("<pre id=\"found\">").nth(1).and_then(|rest| rest.split("</pre>").next());
        assert_eq!(found, Some(""), "{width} pixels wide, dark: {dark}");
    }
}

#[test]
fn a_browser_shows_it_without_a_complaint() {
    if Tool::Chromium.find().is_err() {
        return skipped("there is no Chromium");
    }
    let folder = tempfile::tempdir().expect("a folder");
    let picture = folder.path().join("report.png");
    let (_, logged) =
        browse(page(), &["--window-size=1280,1600", &format!("--screenshot={}", picture.display())]);
    let complaints: Vec<_> = logged.lines().filter(|line| line.contains("CONSOLE")).collect();
    assert!(complaints.is_empty(), "{complaints:?}");
    assert!(fs::metadata(&picture).expect("a picture").len() > 50_000, "it is not empty");
    // The script came to its end.
    let (document, _) = browse(page(), &["--dump-dom"]);
    assert!(document.contains(r#"data-ready="yes""#));
    assert!(document.contains(r#"class="age""#));
}
