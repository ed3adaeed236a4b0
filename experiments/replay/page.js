"use strict";
(() => {
  const find = (selector) => [...document.querySelectorAll(selector)];
  const parts = find(".replay [data-step]");
  const drawing = document.querySelector(".drawing");
  const sentences = find("#steps > li");
  const now = document.getElementById("now");
  const count = sentences.length;
  let current = count;

  const show = (step) => {
    current = Math.min(Math.max(step, 1), count);
    for (const part of parts) {
      const when = Number(part.dataset.step);
      part.classList.toggle("later", when > current);
      part.classList.toggle("now", when === current);
    }
    drawing.classList.toggle("stepping", current < count);
    sentences.forEach((sentence, index) => {
      if (index + 1 === current) sentence.setAttribute("aria-current", "step");
      else sentence.removeAttribute("aria-current");
    });
    const told = sentences[current - 1].querySelector(".told").textContent;
    now.textContent = `Step ${current} of ${count}. ${told}`;
    for (const button of find("#player button")) {
      const isIdle = target(button.dataset.go) === current;
      button.setAttribute("aria-disabled", String(isIdle));
    }
  };
  const target = (go) => {
    const step = { first: 1, back: current - 1, next: current + 1, last: count }[go];
    return Math.min(Math.max(step, 1), count);
  };
  const go = (where) => {
    show(target(where));
    const moved = drawing.querySelector(".move.now") ?? drawing.querySelector(".now");
    moved?.scrollIntoView({ block: "nearest", inline: "nearest" });
    history.replaceState(null, "", `#step=${current}`);
  };
  const fromAddress = () => {
    const found = /^#step=([0-9]+)$/.exec(location.hash);
    if (found) show(Number(found[1]));
  };

  const keys = { ArrowLeft: "back", ArrowRight: "next", Home: "first", End: "last" };
  document.addEventListener("keydown", (event) => {
    const where = keys[event.key];
    const isOther = event.ctrlKey || event.altKey || event.metaKey || event.shiftKey;
    // What can be scrolled keeps its keys.
    if (!where || isOther || event.target.closest?.(".scroll")) return;
    event.preventDefault();
    go(where);
  });
  for (const button of find("#player button")) {
    button.addEventListener("click", () => go(button.dataset.go));
  }
  addEventListener("hashchange", fromAddress);
  document.getElementById("player").hidden = false;
  show(count);
  fromAddress();
})();
