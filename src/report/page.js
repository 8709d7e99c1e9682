/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Search, filter and order of the table of counters. The page is whole without it. */
"use strict";
(function () {
  const table = document.getElementById("table");
  const body = table.tBodies[0];
  const rows = Array.from(body.rows);
  const search = document.getElementById("search");
  const show = document.getElementById("show");
  const shown = document.getElementById("shown");
  /* Each choice holds the ones before it. */
  const ranks = { hit: 0, other: 1, zero: 2 };

  function rank(row) {
    return ranks[row.className];
  }

  function filter() {
    const words = search.value.toLowerCase().split(/\s+/).filter(Boolean);
    /* Whoever searches wants what there is, changed or not. */
    const limit = words.length ? ranks.zero : ranks[show.value];
    let count = 0;
    for (const row of rows) {
      const name = row.dataset.metric.toLowerCase();
      row.hidden = rank(row) > limit || !words.every((word) => name.includes(word));
      count += row.hidden ? 0 : 1;
    }
    shown.textContent = count + " of " + rows.length;
  }

  function key(row, column, numeric) {
    const cell = row.cells[column];
    if (!numeric)
      return cell.textContent;
    return cell.dataset.v === "" ? NaN : Number(cell.dataset.v);
  }

  function order(a, b, numeric) {
    if (!numeric)
      return a < b ? -1 : a > b ? 1 : 0;
    return a - b;
  }

  function sort(heading) {
    const column = heading.cellIndex;
    const numeric = heading.dataset.sort === "n";
    const up = heading.getAttribute("aria-sort") !== "ascending";
    for (const other of table.tHead.rows[0].cells)
      other.removeAttribute("aria-sort");
    heading.setAttribute("aria-sort", up ? "ascending" : "descending");
    const keyed = rows.map((row, at) => ({ row, at, key: key(row, column, numeric) }));
    keyed.sort(function (x, y) {
      /* What has no value stays at the end, whichever way. */
      const xNone = Number.isNaN(x.key), yNone = Number.isNaN(y.key);
      if (xNone || yNone)
        return xNone - yNone || x.at - y.at;
      return (up ? 1 : -1) * order(x.key, y.key, numeric) || x.at - y.at;
    });
    for (const entry of keyed)
      body.appendChild(entry.row);
  }

  for (const heading of table.tHead.rows[0].cells) {
    const button = document.createElement("button");
    button.type = "button";
    button.textContent = heading.textContent;
    heading.replaceChildren(button);
    button.addEventListener("click", () => sort(heading));
  }
  document.getElementById("find").hidden = false;
  document.getElementById("find").addEventListener("submit", (event) => event.preventDefault());
  search.addEventListener("input", filter);
  show.addEventListener("change", filter);
  if (!rows.some((row) => rank(row) === ranks.hit))
    show.value = "other";
  filter();
})();
