// Everything the page says that hangs on numbers.
const words = (() => {
  const NOTICEABLE = 5e-4;
  const brief = (value, digits = 3) => value.toFixed(digits).replace(/^(-?)0\./, "$1.");
  const whole = (number) => number.toLocaleString("en");
  const count = (number, noun) => `${whole(number)} ${noun}${number === 1 ? "" : "s"}`;
  const factor = (value) => String(Math.round(value * 100) / 100);
  // A name whose letters may run to the left is kept apart from the sentence.
  const name = (text) => (/^[ -~]*$/.test(text) ? text : `\u2068${text}\u2069`);
  const listed = (names) =>
    names.length < 2 ? names.join("") : `${names.slice(0, -1).join(", ")} and ${names.at(-1)}`;

  const half = (error) => 1.959964 * error;
  const interval = (value, error) => {
    const width = half(error);
    if (!Number.isFinite(width)) return brief(value);
    const digits = width < 0.0015 ? 4 : 3;
    return `${brief(value, digits)} ± ${brief(width, digits)}`;
  };

  const dials = {
    r: (state, list) => `${whole(state.r)} of ${whole(list.ideals.length)}`,
    strength: ({ strength }) =>
      strength === 1
        ? "as they are"
        : strength === 0
          ? "no links"
          : `${factor(strength)} × as strong`,
    dependence: ({ dependence }) => {
      if (dependence === 0) return "each on its own";
      const word = dependence < 0 ? "exclusive" : "together";
      const part = Math.round(Math.abs(dependence) * 100);
      return part === 100 ? word : `${part} % ${word}`;
    },
    spread: ({ spread }) =>
      spread === 0 ? "not at all" : `half ${factor(1 + spread)} ×, half ${factor(1 - spread)} ×`,
    behind: ({ behind }) => (behind === 1 ? "as one in the list" : `${behind} × one in the list`),
  };

  const CAUSES = {
    forgets: () => "it counts how many ideals a user has seen and forgets which ones",
    separates: ({ dependence }) =>
      dependence < 0
        ? "it takes each visit on its own, and these users who make one leave out others"
        : "it takes each visit on its own, and these users make many at once or none",
    averages: () => "it takes all users to be like the average one, and these differ",
  };
  // Why PRUM is off: the part that moves it most in the direction in which it is off.
  function cause(parts, state, error) {
    const index = state.r - 1;
    const names = Object.keys(CAUSES);
    const worst = names.reduce((a, b) =>
      parts[b][index] * Math.sign(error) > parts[a][index] * Math.sign(error) ? b : a,
    );
    const others = names.filter(
      (name) => name !== worst && Math.abs(parts[name][index]) >= NOTICEABLE,
    );
    return `${others.length ? "mostly " : ""}because ${CAUSES[worst](state)}`;
  }

  function wanted(r, m) {
    if (m === 1) return "the only ideal";
    if (r < m) return `${whole(r)} of ${whole(m)} ideals`;
    return m === 2 ? "both ideals" : `all ${whole(m)} ideals`;
  }

  function headline({ state, list, numbers, users, estimates }) {
    const index = state.r - 1;
    const m = list.ideals.length;
    const said = numbers.prum.precision[index];
    const who = `Users who want ${wanted(state.r, m)}`;
    const crowd = users
      ? `${count(users, "user")} ${users === 1 ? "says" : "say"} ${interval(estimates.precision[index], estimates.error[index])}`
      : "";
    if (numbers.exact === null) {
      const rest = users ? `, and ${crowd}` : "";
      return `${who}: PRUM says ${brief(said)}${rest}. So many dependent visits have no exact value here: simulate users instead.`;
    }
    const exact = numbers.exact.precision[index];
    const error = said - exact;
    if (Math.abs(error) < NOTICEABLE) {
      const both = `PRUM and the exact value both say ${brief(exact)}`;
      return `${who}: ${both}${users ? `, and ${crowd}` : ". Press Play: simulated users will agree"}.`;
    }
    const three = users
      ? `PRUM says ${brief(said)}, the exact value is ${brief(exact)}, and ${crowd}`
      : `PRUM says ${brief(said)}, the exact value is ${brief(exact)}`;
    const why = cause(numbers.parts, state, error);
    return `${who}: ${three}. PRUM is ${brief(Math.abs(error))} too ${error < 0 ? "low" : "high"}, ${why}.${users ? "" : " Press Play to simulate users."}`;
  }

  // The sentence of a step: what a user does at a rank, and how they stand.
  function step({ user, events, at }, list, r) {
    const { rank, visited, seen } = events[at - 1];
    const ideal = (x) => name(list.ideals[x]);
    const before = events.slice(0, at).reduce((sum, event) => sum + event.seen.length, 0);
    const who = `User ${whole(user + 1)}`;
    const left = rank - list.ranking.length;
    let text;
    if (left > 0) {
      text = `${who} comes upon ${ideal(seen[0])} behind the list, at element ${whole(left)} of ${whole(list.unranked)}.`;
    } else {
      const element = list.ranking[rank - 1];
      const self = list.ideals.indexOf(element);
      const others = seen.filter((x) => x !== self);
      const again = visited.filter((x) => x !== self && !seen.includes(x));
      text = `${who} consults ${name(element)} (rank ${whole(rank)})`;
      if (self >= 0 && visited.includes(self))
        text += seen.includes(self) ? ", a new ideal" : ", an ideal seen before";
      if (others.length) text += `, and sees ${listed(others.map(ideal))} from there`;
      if (again.length)
        text += `${others.length ? "," : ", and sees"} ${listed(again.map(ideal))} again`;
      text += ".";
      if (!seen.length) text += " Nothing new.";
    }
    text += ` ${whole(before)} of ${whole(r)} wanted ${r === 1 ? "ideal" : "ideals"} seen.`;
    if (at === events.length) {
      const led = events.filter((event) => event.seen.length).length;
      text += ` They stop after ${count(rank, "element")}, ${whole(led)} of which led to something new.`;
    }
    return text;
  }

  return Object.freeze({
    brief,
    whole,
    count,
    name,
    interval,
    half,
    dials,
    headline,
    step,
  });
})();
