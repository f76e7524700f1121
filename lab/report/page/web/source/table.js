// A table that sorts by its columns and shows a page of its rows at a time: thousands of rows cost no more than 100.
import {make} from "./dom.js";
import {counted} from "./format.js";

const pageRows = 100;
const longestWhole = 30;  // letters of a name that stays in one line where the page is wide

const isEmpty = (shown) => shown === undefined || shown === null || shown === "";

// columns: {name, value(row) for sorting, cell(row) to show, number, wide, whole, css(row)}; marks(row) is the class of a row.
// A column that no row has anything in is left out.
export function table(rows, all, {marks = () => "", what = "row", sorted, id} = {}) {
  const columns = rows.length ? all.filter((column) => rows.some((row) => !isEmpty(column.cell(row)))) : all;
  let page = 0, by = sorted ?? -1, down = false, order = rows;
  const head = make("tr");
  const body = make("tbody");
  const pager = make("div", {class: "pager", role: "status"});
  const holder = make("div", {"data-table": id, "data-rows": rows.length},
    make("div", {class: "scroll", tabindex: "0"}, make("table", {}, make("thead", {}, head), body)), pager);

  function sort() {
    order = rows;
    if (by < 0) return;
    const value = columns[by].value ?? columns[by].cell;
    const rank = (a, b) => {
      if (isEmpty(a) || isEmpty(b)) return isEmpty(a) - isEmpty(b);
      const way = typeof a === "number" && typeof b === "number" ? a - b : String(a).localeCompare(String(b), "en", {numeric: true});
      return down ? -way : way;
    };
    order = rows.map((row) => [value(row), row]).sort((a, b) => rank(a[0], b[0])).map((pair) => pair[1]);
  }

  function showHead() {
    head.replaceChildren(...columns.map((column, place) => make("th", {
      scope: "col", class: column.number ? "number" : "", "aria-sort": place === by ? (down ? "descending" : "ascending") : "none"},
      make("button", {type: "button", onclick: () => {
        down = by === place ? !down : false;
        by = place;
        page = 0;
        sort(); show(); showHead();
        head.children[place].firstChild.focus();
      }}, column.name + (place === by ? (down ? " ↓" : " ↑") : "")))));
  }

  function show() {
    const pages = Math.max(1, Math.ceil(order.length / pageRows));
    page = Math.min(page, pages - 1);
    body.replaceChildren(...order.slice(page * pageRows, (page + 1) * pageRows).map((row) =>
      make("tr", {class: marks(row)}, columns.map((column) => {
        const shown = column.cell(row);
        const css = [column.number ? "number" : "", column.wide ? "name" : "", column.whole && String(shown).length <= longestWhole ? "whole" : "", column.css ? column.css(row) : ""].join(" ").trim();
        return make("td", {class: css || undefined, "data-name": column.name}, shown instanceof Node ? shown : String(shown ?? ""));
      }))));
    const turn = (to, text) => make("button", {type: "button", disabled: to < 0 || to >= pages,
      onclick: () => { page = to; show(); }}, text);
    pager.replaceChildren(...(pages > 1
      ? [turn(page - 1, "previous"), make("span", {}, `page ${page + 1} of ${pages}, ${counted(order.length, what)}`), turn(page + 1, "next")]
      : [make("span", {class: "quiet"}, counted(order.length, what))]));
  }

  sort(); showHead(); show();
  return holder;
}
