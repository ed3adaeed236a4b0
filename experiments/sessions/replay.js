// The session step by step: it opens at its first step, and plays, goes and stops as readers wish.
"use strict";
(() => {
  const find = (selector) => [...document.querySelectorAll(selector)];
  const parts = find(".replay [data-step]");
  const drawing = document.querySelector(".drawing");
  const sentences = find("#steps > li");
  const now = document.getElementById("now");
  const play = document.getElementById("play");
  const count = sentences.length;
  // Milliseconds that a step stays; a long sentence longer.
  const PAUSE = 1200, LETTER = 25;
  let current = 1, timer = null;

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
    for (const button of find("#player [data-go]")) {
      const isIdle = target(button.dataset.go) === current;
      button.setAttribute("aria-disabled", String(isIdle));
    }
  };
  const target = (go) => {
    const step = { first: 1, back: current - 1, next: current + 1, last: count }[go];
    return Math.min(Math.max(step, 1), count);
  };
  const stop = () => {
    clearTimeout(timer);
    timer = null;
    play.textContent = "Play";
    play.setAttribute("aria-pressed", "false");
  };
  const move = (step) => {
    show(step);
    const moved = drawing.querySelector(".move.now") ?? drawing.querySelector(".now");
    moved?.scrollIntoView({ block: "nearest", inline: "nearest" });
    history.replaceState(null, "", `#step=${current}`);
  };
  const go = (where) => {
    stop();
    move(target(where));
  };
  const wait = () => {
    timer = setTimeout(() => {
      move(current + 1);
      if (current < count) wait();
      else stop();
    }, PAUSE + LETTER * now.textContent.length);
  };
  const start = () => {
    // From its end it begins anew.
    if (current === count) move(1);
    play.textContent = "Pause";
    play.setAttribute("aria-pressed", "true");
    wait();
  };
  const toggle = () => (timer === null ? start() : stop());
  const fromAddress = () => {
    const found = /^#step=([0-9]+)$/.exec(location.hash);
    if (found) show(Number(found[1]));
  };

  const keys = { ArrowLeft: "back", ArrowRight: "next", Home: "first", End: "last" };
  document.addEventListener("keydown", (event) => {
    const where = keys[event.key];
    const isOther = event.ctrlKey || event.altKey || event.metaKey || event.shiftKey;
    // The space key presses what has the focus, and plays elsewhere.
    if (event.key === " " && !isOther && !event.target.closest?.("button, a, .scroll")) {
      event.preventDefault();
      toggle();
      return;
    }
    // What can be scrolled keeps its keys.
    if (!where || isOther || event.target.closest?.(".scroll")) return;
    event.preventDefault();
    go(where);
  });
  for (const button of find("#player [data-go]")) {
    button.addEventListener("click", () => go(button.dataset.go));
  }
  play.addEventListener("click", toggle);
  addEventListener("hashchange", () => {
    stop();
    fromAddress();
  });
  addEventListener("beforeprint", () => {
    stop();
    show(count);
  });
  play.hidden = count < 2;
  document.getElementById("player").hidden = false;
  show(1);
  fromAddress();
})();
