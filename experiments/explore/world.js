// What the dials say, the address that keeps it, and the numbers that follow from it.
const world = (() => {
  const COSTS = [0.1, 0.2, 0.5, 1, 2, 5, 10];
  const MOST_USERS = 1e6;
  const MOST_SEED = 1e9;
  // Steps of all exact values with dependent visits, of which a reader does not wait for more.
  const MOST_STEPS = 9e7;
  const toHundredths = (value) => Math.round(value * 100) / 100;

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

  // The state that an address has after its #; where it asks for what is not there, the beginning.
  function read(address, lists) {
    const given = new URLSearchParams(address);
    const inside = (name, [low, high], first) => {
      const value = Number(given.get(name) ?? first);
      return value >= low && value <= high ? value : first;
    };
    const list = inside("list", [0, lists.length - 1], 0);
    if (!Number.isInteger(list)) return { state: start(lists), isWrong: true };
    const state = start(lists, list);
    const ranges = { ...dials(lists[list]), seed: [1, MOST_SEED], users: [0, MOST_USERS] };
    for (const [name, range] of Object.entries(ranges)) {
      const value = inside(name, name === "behind" ? [COSTS[0], COSTS.at(-1)] : range, state[name]);
      state[name] = ["r", "seed", "users"].includes(name) ? Math.round(value) : toHundredths(value);
    }
    const isWrong =
      !COSTS.includes(state.behind) ||
      [...given].some(([name, text]) => String(state[name]) !== text);
    return { state: isWrong ? start(lists) : state, isWrong };
  }

  function write(state, lists) {
    const first = { ...start(lists, state.list), list: 0 };
    const names = Object.keys(first).filter((name) => state[name] !== first[name]);
    return names.map((name) => `${name}=${state[name]}`).join("&");
  }

  // The lists of the page's data, each with its reach and its links: rank, ideal, P.
  function unpacked(lists) {
    return lists.map((list) => {
      const reach = list.ranking.map(() => new Float64Array(list.ideals.length));
      const [ranks, ideals, billionths] = list.links;
      const links = ranks.map((rank, n) => [rank, ideals[n], billionths[n] / 1e9]);
      for (const [rank, ideal, p] of links) reach[rank][ideal] = p;
      return { ...list, reach, links };
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

  // PRUM, the exact value, and what each of three simplifications adds to their difference.
  function numbers(state, list) {
    const { strength, dependence, spread } = state;
    const turned = { strength, dependence, spread };
    const setting = engine.setting({ ...common(state, list), reach: list.reach, ...turned });
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
    toHundredths,
    read,
    write,
    unpacked,
    mean,
    numbers,
  });
})();
