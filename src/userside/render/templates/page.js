"use strict";
// Sorting, filtering, and opening entries for print; the folded ends of long turns stay folded.
// The page is whole without it.

for (const table of document.querySelectorAll("table[data-sortable]")) {
  table.querySelectorAll("thead th").forEach((head, column) => {
    const button = document.createElement("button");
    button.type = "button";
    button.append(...head.childNodes);
    head.append(button);
    button.addEventListener("click", () => sort(table, head, column));
  });
}

function sort(table, head, column) {
  const falling = head.getAttribute("aria-sort") !== "descending";
  for (const other of table.querySelectorAll("[aria-sort]")) other.removeAttribute("aria-sort");
  head.setAttribute("aria-sort", falling ? "descending" : "ascending");
  const key = (row) => row.cells[column].dataset.key;
  const isNumber = !head.classList.contains("kind-text");
  const compare = (a, b) => (isNumber ? Number(a) - Number(b) : a.localeCompare(b));
  const rows = [...table.tBodies[0].rows];
  // what is missing stays last, whichever way
  rows.sort((a, b) => {
    if (key(a) === "" || key(b) === "") return (key(a) === "") - (key(b) === "");
    return falling ? compare(key(b), key(a)) : compare(key(a), key(b));
  });
  table.tBodies[0].append(...rows);
}

for (const list of document.querySelectorAll(".filterable")) {
  const items = [...list.querySelectorAll(":scope > .entries > li")].map((node) => ({
    node,
    labels: JSON.parse(node.dataset.labels),
  }));
  const finder = list.querySelector(".finder");
  const search = finder.querySelector("input");
  const group = finder.querySelector(".labels");
  const found = finder.querySelector(".found");
  const pressed = new Set();

  const labels = [...new Set(items.flatMap((item) => item.labels))];
  for (const label of labels) {
    const count = items.filter((item) => item.labels.includes(label)).length;
    const button = document.createElement("button");
    const name = document.createElement("bdi");
    name.textContent = label;
    button.type = "button";
    button.append(name, ` ${count}`);
    button.setAttribute("aria-pressed", "false");
    button.addEventListener("click", () => {
      if (!pressed.delete(label)) pressed.add(label);
      button.setAttribute("aria-pressed", String(pressed.has(label)));
      narrow();
    });
    group.append(button);
  }

  function narrow() {
    const words = search.value.toLocaleLowerCase().split(/\s+/).filter(Boolean);
    let shown = 0;
    for (const item of items) {
      item.text ??= item.node.textContent.toLocaleLowerCase();
      const fits =
        (pressed.size === 0 || item.labels.some((label) => pressed.has(label))) &&
        words.every((word) => item.text.includes(word));
      item.node.hidden = !fits;
      if (fits) shown += 1;
    }
    const all = words.length === 0 && pressed.size === 0;
    found.textContent = all ? `${items.length} ${list.dataset.noun}` : `${shown} of ${items.length} ${list.dataset.noun}`;
  }

  search.addEventListener("input", narrow);
  finder.hidden = false;
  narrow();
}

let closed = [];
window.addEventListener("beforeprint", () => {
  closed = [...document.querySelectorAll("details:not([open], .rest)")];
  for (const details of closed) details.open = true;
});
window.addEventListener("afterprint", () => {
  for (const details of closed) details.open = false;
});
