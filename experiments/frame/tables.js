// Tables that readers sort by pressing a heading, whose rows they pick by typing, and download.
"use strict";

// A table of so many rows can be seen at a glance.
const FEW = 8;
let tables = 0;

// The number at the beginning of a text as people read it; NaN if there is none.
function number(text) {
  return parseFloat(text.replace(/^[<>≤≥≈\s]+|,/g, "").replace(/^\./, "0.").replace(/−/g, "-"));
}

// Below 0 if the first text stands before the second; what is no number stands last either way.
function order(first, second, isText, sign) {
  if (isText) return sign * first.localeCompare(second, undefined, { numeric: true });
  const [one, other] = [number(first), number(second)];
  if (isNaN(one) || isNaN(other)) return isNaN(one) - isNaN(other);
  return sign * (one - other);
}

function sortBy(heads, body, at) {
  const head = heads[at], isText = head.classList.contains("t");
  const text = (row) => row.cells[at].textContent.trim();
  // Names begin with A, numbers with the largest.
  const first = isText ? "ascending" : "descending";
  const other = isText ? "descending" : "ascending";
  const turned = head.getAttribute("aria-sort") === first ? other : first;
  for (const one of heads) one.removeAttribute("aria-sort");
  head.setAttribute("aria-sort", turned);
  const sign = turned === "ascending" ? 1 : -1;
  body.append(...[...body.rows].sort((a, b) => order(text(a), text(b), isText, sign)));
}

function addSorting(table, body) {
  const heads = [...table.tHead.rows[table.tHead.rows.length - 1].cells];
  heads.forEach((head, at) => {
    const button = document.createElement("button");
    button.type = "button";
    button.append(...head.childNodes);
    button.addEventListener("click", () => sortBy(heads, body, at));
    head.append(button);
  });
}

function addPicking(table, body) {
  const rows = [...body.rows], field = document.createElement("input");
  const label = document.createElement("label"), count = document.createElement("output");
  field.type = "search";
  field.id = `pick-${tables++}`;
  field.autocomplete = "off";
  field.spellcheck = false;
  label.htmlFor = count.htmlFor = field.id;
  label.textContent = "Show rows with";
  const texts = rows.map((row) => row.textContent.toLowerCase());
  field.addEventListener("input", () => {
    const words = field.value.toLowerCase().split(/\s+/).filter(Boolean);
    let left = 0;
    rows.forEach((row, at) => {
      row.hidden = !words.every((word) => texts[at].includes(word));
      left += !row.hidden;
    });
    count.textContent = words.length ? `${left} of ${rows.length}` : "";
  });
  const line = document.createElement("p");
  line.className = "pick";
  line.append(label, " ", field, " ", count);
  table.closest(".scroll").before(line);
}

// A cell of CSV; what would end it is quoted.
function quoted(value) {
  const text = value === null ? "" : String(value);
  return /[",\r\n]/.test(text) ? `"${text.replace(/"/g, '""')}"` : text;
}

function addDownload(area, data) {
  const button = document.createElement("button"), name = area.getAttribute("aria-label");
  button.type = "button";
  button.className = "download";
  button.textContent = "Download as CSV";
  button.setAttribute("aria-label", `Download as CSV: ${name}`);
  button.addEventListener("click", () => {
    const lines = JSON.parse(data.textContent).map((row) => row.map(quoted).join(",") + "\n");
    const link = document.createElement("a");
    link.href = URL.createObjectURL(new Blob(lines, { type: "text/csv" }));
    link.download = `${name.replace(/[^\p{L}\p{N}]+/gu, "-").slice(0, 60)}.csv`;
    link.click();
    setTimeout(() => URL.revokeObjectURL(link.href), 10000);
  });
  area.after(button);
}

for (const table of document.querySelectorAll(".scroll > table")) {
  const body = table.tBodies[0];
  if (body.rows.length > 1) addSorting(table, body);
  if (body.rows.length > FEW) addPicking(table, body);
  const area = table.closest(".scroll"), data = area.nextElementSibling;
  if (data?.matches("script.data")) addDownload(area, data);
}
