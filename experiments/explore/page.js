// The page: what its dials and keys do, and what is shown when.
(() => {
  const lists = world.unpacked(JSON.parse(document.getElementById("data").textContent));
  const at = (id) => document.getElementById(id);
  const DIALS = ["r", "strength", "dependence", "spread", "behind"];
  // Milliseconds: how long a computation may take to follow a dial at once, how long the others wait,
  // and after how long a change is told and the address follows.
  const [QUICK, LATER, SETTLED] = [60, 250, 700];
  const stillness = matchMedia("(prefers-reduced-motion: reduce)");

  let state, numbers, walk;
  let cost = 0;
  let shownAt = 0;
  const timers = {};
  const later = (name, wait, act) => {
    clearTimeout(timers[name]);
    timers[name] = setTimeout(act, wait);
  };
  const list = () => lists[state.list];
  const crowd = pacing.crowdOf(changed);
  const view = () => {
    const users = crowd.users;
    return {
      state,
      list: list(),
      numbers,
      users,
      estimates: users ? crowd.estimates() : null,
      marks: crowd.marks,
    };
  };

  // ---- What is shown -------------------------------------------------------------------------

  const cell = (tag, content, attributes = {}) => {
    const made = document.createElement(tag);
    for (const [name, value] of Object.entries(attributes)) made.setAttribute(name, value);
    made.append(content);
    return made;
  };
  const number = (value, text) => cell("td", cell("data", text, { value: String(value) }));
  const row = (name, ...cells) => {
    const made = document.createElement("tr");
    made.append(cell("th", name, { scope: "row", class: "t" }), ...cells);
    return made;
  };

  function showDials() {
    const ranges = world.dials(list());
    for (const name of DIALS) {
      const [low, high, step] = ranges[name];
      const input = at(name);
      Object.assign(input, { min: low, max: high, step });
      input.value = name === "behind" ? world.COSTS.indexOf(state.behind) : state[name];
      const text = words.dials[name](state, list());
      at(`${name}-says`).textContent = text;
      input.setAttribute("aria-valuetext", text);
    }
    if (at("list")) at("list").value = state.list;
    at("dial-r").hidden = list().ideals.length === 1;
  }

  function showTables(seen) {
    const { users, estimates } = seen;
    const index = state.r - 1;
    const rows = [
      ["PRUM", numbers.prum],
      ["exact", numbers.exact],
    ].map(([name, values]) =>
      values
        ? row(
            name,
            ...["precision", "leading", "consulted"].map((key) =>
              number(values[key][index], words.brief(values[key][index], 4)),
            ),
          )
        : row(name, cell("td", "–"), cell("td", "–"), cell("td", "–")),
    );
    const simulated = (key, text) =>
      users ? number(estimates[key][index], text(estimates[key][index])) : cell("td", "–");
    const plain = (value) => words.brief(value, 4);
    const certain = (value) => words.interval(value, estimates.error[index]);
    rows.push(
      row(
        users ? words.count(users, "user") : "users",
        simulated("precision", certain),
        simulated("leading", plain),
        simulated("consulted", plain),
      ),
    );
    at("numbers").tBodies[0].replaceChildren(...rows);
    at("table-r").textContent = words.whole(state.r);
  }

  const showList = () => {
    at("cut").textContent = drawnList.draw(at("drawn"), list(), state, walk);
  };

  function showUsers() {
    const seen = view();
    at("says").textContent = words.headline(seen);
    plots.closing(at("closing"), seen);
    plots.curve(at("curve"), seen);
    showTables(seen);
  }

  function showButtons() {
    const play = document.querySelector("[data-do=play]");
    play.textContent = crowd.isPlaying ? "❚❚ Pause" : "▶ Play";
  }

  function showAll() {
    showDials();
    showList();
    showUsers();
    showButtons();
  }

  // Say in the line beside the list; while users stream by a screen reader is left in peace.
  function tell(text) {
    at("now").setAttribute("aria-live", crowd.isPlaying ? "off" : "polite");
    at("now").textContent = text;
  }

  const beginning = () =>
    tell("Next step shows what one user does; Play adds more and more users.");

  // ---- What changes --------------------------------------------------------------------------

  function changed(why) {
    if (why === "user") {
      const user = crowd.users - 1;
      const events = crowd.walkthrough(user, state.r);
      walk = { user, events, at: events.length };
      tell(words.step(walk, list(), state.r));
      showList();
    } else if (why === "users" && performance.now() - shownAt < (crowd.isPlaying ? 80 : 250))
      return;
    if (why === "users" && walk && crowd.isPlaying) {
      walk = null;
      showList();
    }
    if (why !== "user" && crowd.isPlaying) tell(`${words.count(crowd.users, "user")} …`);
    shownAt = performance.now();
    showUsers();
    if (why === "end") {
      showButtons();
      if (!walk && crowd.users) tell(`${words.count(crowd.users, "user")} so far.`);
      settle();
    }
  }

  // The address follows when things have come to rest.
  function settle() {
    later("settle", SETTLED, () => {
      if (crowd.isPlaying || crowd.users < crowd.goal) return;
      state.users = crowd.users;
      const address = world.write(state, lists);
      at("here").setAttribute("href", `#${address}`);
      try {
        history.replaceState(null, "", address ? `#${address}` : location.href.split("#")[0]);
      } catch {
        // A page in another's frame may have no address of its own.
      }
    });
  }

  // Compute anew, with as many users of the same seed.
  function compute() {
    const begin = performance.now();
    numbers = world.numbers(state, list());
    cost = performance.now() - begin;
    const users = crowd.isPlaying ? 0 : state.users;
    crowd.restart(numbers.setting, state.seed, users);
    showAll();
  }

  function turned() {
    walk = null;
    showDials();
    showList();
    if (!crowd.isPlaying) beginning();
    if (cost < QUICK) compute();
    else later("compute", LATER, compute);
    later("heard", SETTLED, () => {
      if (!crowd.isPlaying) at("heard").textContent = words.headline(view());
    });
    settle();
  }

  // Take a state as it is, from an address or from the beginning.
  function load(next, isWrong) {
    if (crowd.isPlaying) crowd.pause();
    state = next;
    walk = null;
    at("message").hidden = !isWrong;
    beginning();
    compute();
    settle();
  }

  function fromAddress() {
    const { state: next, isWrong } = world.read(location.hash.slice(1), lists);
    load(next, isWrong);
  }

  // ---- What a reader does --------------------------------------------------------------------

  const acts = {
    play() {
      if (crowd.isPlaying) crowd.pause();
      else if (stillness.matches) acts.thousand();
      else {
        if (crowd.users >= world.MOST_USERS) acts.again();
        walk = null;
        crowd.play();
        tell("Playing.");
        showList();
      }
      showButtons();
    },
    step() {
      if (crowd.isPlaying) acts.play();
      if (!walk || walk.at >= walk.events.length) {
        const user = crowd.goal;
        walk = { user, events: crowd.walkthrough(user, state.r), at: 0 };
      }
      walk.at += 1;
      showStep();
    },
    finish() {
      if (crowd.isPlaying) acts.play();
      if (!walk || walk.at >= walk.events.length) acts.step();
      if (walk.at >= walk.events.length) return;
      walk.at = walk.events.length;
      showStep();
    },
    thousand() {
      walk = null;
      showList();
      crowd.more(1000);
      state.users = crowd.goal;
    },
    again() {
      state.seed = state.seed >= world.MOST_SEED ? 1 : state.seed + 1;
      state.users = 0;
      walk = null;
      crowd.restart(numbers.setting, state.seed, 0);
      beginning();
      showAll();
      settle();
    },
    reset() {
      const first = world.start(lists, state.list);
      for (const name of DIALS) state[name] = first[name];
      turned();
    },
  };

  function showStep() {
    tell(words.step(walk, list(), state.r));
    showList();
    if (walk.at === walk.events.length) {
      crowd.more(1);
      state.users = crowd.goal;
    }
  }

  for (const button of document.querySelectorAll("[data-do]")) {
    button.addEventListener("click", () => acts[button.dataset.do]());
  }
  for (const name of DIALS) {
    at(name).addEventListener("input", () => {
      const value = Number(at(name).value);
      state[name] = name === "behind" ? world.COSTS[value] : world.toHundredths(value);
      if (name !== "r") return turned();
      walk = null;
      showAll();
      settle();
      later("heard", SETTLED, () => (at("heard").textContent = words.headline(view())));
    });
  }
  at("list")?.addEventListener("change", () => {
    clearTimeout(timers.compute);
    state.list = Number(at("list").value);
    state.r = list().r;
    walk = null;
    beginning();
    compute();
    settle();
  });
  addEventListener("hashchange", fromAddress);
  at("explorer").hidden = false;
  fromAddress();
  let width = 0;
  new ResizeObserver(() => {
    if (at("drawn").clientWidth === width) return;
    width = at("drawn").clientWidth;
    showList();
    showUsers();
  }).observe(at("drawn"));
})();
