// What the dials say, the address that keeps it, and the numbers that follow from it.
const world = (() => {
  const COSTS = [0.1, 0.2, 0.5, 1, 2, 5, 10];
  const MOST_USERS = 1e6;
  const MOST_SEED = 1e9;
  // Steps of all exact values with dependent visits, of which a reader does not wait for more.
  const MOST_STEPS = 9e7;
  const NUMBER = /^-?[0-9]{1,10}(\.[0-9]{1,4})?$/;

  const start = (lists, list = 0) => ({
    list,
    r: lists[list].r,
    strength: 1,
    dependence: 0,
    spread: 0,
    behind: 1,
    seed: 1,
    users: 0,
  });

  // The dials of a list: lowest and highest value, and the step between.
  const dials = (list) => ({
    r: [1, list.ideals.length, 1],
    strength: [0, 2, 0.05],
    dependence: [-1, 1, 0.05],
    spread: [0, 1, 0.05],
    behind: [0, COSTS.length - 1, 1],
  });

  function allows(lists, state, name, value) {
    const inside = (low, high, step) => {
      const steps = (value - low) / step;
      return value >= low && value <= high && Math.abs(steps - Math.round(steps)) < 1e-6;
    };
    if (name === "list") return inside(0, lists.length - 1, 1);
    if (name === "seed") return inside(1, MOST_SEED, 1);
    if (name === "users") return inside(0, MOST_USERS, 1);
    if (name === "behind") return COSTS.includes(value);
    return inside(...dials(lists[state.list])[name]);
  }

  // The state that an address has after its #, and what of it is wrong: then all is as at first.
  function read(address, lists) {
    const beginning = { state: start(lists), wrong: "" };
    const pairs = address === "" ? [] : address.split("&").map((pair) => pair.split("="));
    const list = pairs.find(([name]) => name === "list")?.[1];
    const first = NUMBER.test(list ?? "0") ? Number(list ?? 0) : -1;
    const place = allows(lists, beginning.state, "list", first) ? first : 0;
    const state = start(lists, place);
    const names = new Set();
    for (const [name, text, ...more] of pairs) {
      const isKnown = Object.hasOwn(state, name) && !names.has(name) && !more.length;
      names.add(name);
      const value = NUMBER.test(text ?? "") ? Number(text) : NaN;
      if (!isKnown || !allows(lists, state, name, value)) {
        const pair = [name, text, ...more].filter((part) => part !== undefined).join("=");
        return { ...beginning, wrong: pair || address };
      }
      state[name] = value;
    }
    return { state, wrong: "" };
  }

  function write(state, lists) {
    const first = { ...start(lists, state.list), list: 0 };
    const names = Object.keys(first).filter((name) => state[name] !== first[name]);
    return names.map((name) => `${name}=${state[name]}`).join("&");
  }

  // The lists of the page's data, each with its reach and its links: rank, ideal, P.
  function unpacked({ lists, elements, rows }) {
    return lists.map((list) => {
      const ranking = list.ranking.map((element) => elements[element]);
      const reach = ranking.map(() => new Float64Array(list.ideals.length));
      const links = [];
      list.rows.forEach((number, rank) => {
        const [first, ...billionths] = rows[number];
        billionths.forEach((value, n) => {
          if (value === 0) return;
          reach[rank][first + n] = value / 1e9;
          links.push([rank, first + n, value / 1e9]);
        });
      });
      return { ...list, ranking, reach, links };
    });
  }

  const stronger = (p, strength) => (p === 1 ? 1 : 1 - (1 - p) ** strength);

  // The mean over users who differ.
  const mean = (p, { strength, spread }) =>
    (stronger(p, strength * (1 + spread)) + stronger(p, strength * (1 - spread))) / 2;

  const common = (state, list) => ({
    unranked: list.unranked,
    ideals: list.ideals.length,
    behind: state.behind,
  });

  const settingOf = (state, list) =>
    engine.setting({
      ...common(state, list),
      reach: list.reach,
      strength: state.strength,
      dependence: state.dependence,
      spread: state.spread,
    });

  // PRUM, the exact value, and what each of three simplifications adds to their difference.
  function numbers(state, list) {
    const setting = settingOf(state, list);
    const ranks = Math.max(list.ranking.length, 1);
    // Each type of users has a law of its own, and so have users who are alike.
    const laws = setting.types.length + (state.dependence && state.spread ? 1 : 0);
    let most = 1;
    while (most < 20 && laws * ranks * 2 ** (most + 1) * (most + 1) <= MOST_STEPS) most += 1;
    const prum = engine.prum(setting);
    const exact = engine.exact(setting, most);
    if (exact === null) return { setting, prum, exact, parts: null };
    const alike = (dependence) => {
      const reach = list.reach.map((row) => row.map((p) => mean(p, state)));
      return engine.exact(engine.setting({ ...common(state, list), reach, dependence }), most);
    };
    const alone = state.dependence || state.spread ? alike(0) : exact;
    const joined =
      state.dependence && state.spread ? alike(state.dependence) : state.spread ? alone : exact;
    const minus = (first, second) =>
      Array.from(first.precision, (value, r) => value - second.precision[r]);
    const parts = {
      forgets: minus(prum, alone),
      separates: minus(alone, joined),
      averages: minus(joined, exact),
    };
    return { setting, prum, exact, parts };
  }

  return Object.freeze({
    COSTS,
    MOST_USERS,
    MOST_SEED,
    start,
    dials,
    read,
    write,
    unpacked,
    mean,
    settingOf,
    numbers,
  });
})();
