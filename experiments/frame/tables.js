// Tables that readers sort by pressing a heading.
"use strict";

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

for (const table of document.querySelectorAll(".scroll > table")) {
  const body = table.tBodies[0];
  if (body.rows.length > 1) addSorting(table, body);
}
