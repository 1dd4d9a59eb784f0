"use strict";

// Tables sort by the column whose head is pressed, downwards and upwards by turns.
function key(row, column) {
  const cell = row.cells[column];
  const value = cell.dataset.value ?? cell.textContent;
  return value !== "" && !Number.isNaN(Number(value)) ? Number(value) : value;
}

function compare(a, b) {
  if (typeof a === "number" && typeof b === "number") return a - b;
  if (typeof a !== typeof b) return typeof a === "number" ? -1 : 1;
  return a.localeCompare(b, "en");
}

for (const table of document.querySelectorAll("table.sortable")) {
  const heads = [...table.tHead.rows[0].cells];
  heads.forEach((head, column) => head.firstElementChild.addEventListener("click", () => {
    const upwards = head.getAttribute("aria-sort") !== "ascending";
    heads.forEach((other) => other.removeAttribute("aria-sort"));
    head.setAttribute("aria-sort", upwards ? "ascending" : "descending");
    const rows = [...table.tBodies[0].rows];
    rows.sort((a, b) => (upwards ? 1 : -1) * compare(key(a, column), key(b, column)));
    table.tBodies[0].append(...rows);
  }));
}

// Rows of the claims that have all of the words.
for (const field of document.querySelectorAll("input.filter")) {
  const rows = [...document.getElementById(field.dataset.table).querySelectorAll("tbody tr")];
  field.addEventListener("input", () => {
    const words = field.value.toLowerCase().split(/\s+/);
    for (const row of rows) row.hidden = !words.every((word) => row.textContent.toLowerCase().includes(word));
  });
}

// A result's age, beside its date.
for (const time of document.querySelectorAll("time")) {
  const days = Math.floor((Date.now() - Date.parse(time.dateTime)) / 86400000);
  const age = document.createElement("span");
  age.className = "age";
  age.textContent = days < 1 ? " (today)" : days === 1 ? " (a day ago)" : ` (${days} days ago)`;
  time.after(age);
}

// Says that it came this far.
document.documentElement.dataset.ready = "yes";
