// Names for parts of the page; and tables, code and formulas that are wider than the page can be
// scrolled with the keyboard.
const boxes = ".highlight pre, .table-wrapper, .formula, dt.sig";
document.addEventListener("DOMContentLoaded", () => {
  // The theme has two asides without a name.
  document.querySelector(".sidebar-drawer")?.setAttribute("aria-label", "Site");
  document.querySelector(".toc-drawer")?.setAttribute("aria-label", "Page");
  const seen = new ResizeObserver((entries) => {
    for (const { target } of entries) {
      if (target.scrollWidth > target.clientWidth) target.tabIndex = 0;
      else target.removeAttribute("tabindex");
    }
  });
  for (const box of document.querySelectorAll(boxes)) seen.observe(box);
});
