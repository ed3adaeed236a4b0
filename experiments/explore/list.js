// The drawing of a list: ranks at the left, ideals at the right, links between.
const drawnList = (() => {
  const RANKS = 24;
  const IDEALS = 24;
  const TOP = 42;
  const PITCH = 31;
  const HEIGHT = 23;
  const LETTER = 7.3;

  // The ranks and ideals that are drawn: the first ranks, and what they lead to first.
  function chosen(list) {
    const ranks = Math.min(list.ranking.length, RANKS);
    const sums = list.ideals.map((_, ideal) => ({ ideal, weight: 0, height: 0 }));
    for (const [rank, ideal, p] of list.links) {
      if (rank >= ranks) continue;
      sums[ideal].weight += p;
      sums[ideal].height += p * rank;
    }
    const linked = sums.filter(({ weight }) => weight > 0);
    const others = sums.filter(({ weight }) => weight === 0);
    linked.sort((a, b) => b.weight - a.weight);
    const kept = [...linked, ...others].slice(0, IDEALS);
    const at = ({ weight, height, ideal }) => (weight > 0 ? height / weight : ranks + ideal);
    kept.sort((a, b) => at(a) - at(b));
    return { ranks, ideals: kept.map(({ ideal }) => ideal) };
  }

  function box(kind, name, x, y, width, radius) {
    const most = Math.max(Math.floor((width - 14) / LETTER), 1);
    const letters = Array.from(name);
    const isLong = letters.length > most;
    const shown = isLong ? `${letters.slice(0, most - 1).join("")}…` : name;
    return svg.make(
      "g",
      { class: kind },
      svg.make("title", {}, name),
      svg.make("rect", { x, y: y - HEIGHT / 2, width, height: HEIGHT, rx: radius }),
      svg.text(shown, x + width / 2, y + 4.5, { "text-anchor": "middle" }),
    );
  }

  const widest = (names) =>
    Math.max(...names.map((name) => Array.from(name).length * LETTER + 20), 44);

  // Draw, with what a user has done so far: { events, at }, or null.
  function draw(figure, list, state, walk) {
    const { ranks, ideals } = chosen(list);
    const width = Math.max(figure.clientWidth, 240);
    const gutter = Math.max(width * 0.3, 70);
    const left = 44;
    const room = (width - left - gutter) / 2;
    const names = list.ranking.slice(0, ranks);
    const boxes = Math.min(widest(names), room);
    const pills = Math.min(widest(ideals.map((x) => list.ideals[x])), room);
    const right = width - pills - 4;
    const rows = Math.max(ranks, ideals.length, 1);
    const yOf = (row, number) => TOP + (rows / number) * PITCH * (row + 0.5) - PITCH / 2;
    const yOfRank = (rank) => TOP + rank * PITCH;
    const place = new Map(ideals.map((ideal, row) => [ideal, yOf(row, ideals.length)]));

    const events = walk ? walk.events.slice(0, walk.at) : [];
    const visits = new Map(events.map((event) => [event.rank - 1, event]));
    const now = events.at(-1)?.rank - 1;
    const seenIdeals = new Set(events.flatMap((event) => event.seen));

    const [paths, taken] = [[], []];
    for (const [rank, ideal, p] of list.links) {
      const y = place.get(ideal);
      if (rank >= ranks || y === undefined) continue;
      const strength = world.mean(p, state);
      if (strength < 1e-4) continue;
      const [x1, y1, middle] = [left + boxes, yOfRank(rank), (left + boxes + right) / 2];
      const isTaken = visits.get(rank)?.visited.includes(ideal) ?? false;
      const kind = isTaken ? { class: "taken" } : {};
      const path = svg.make(
        "path",
        {
          ...kind,
          d: `M${x1.toFixed(1)} ${y1}C${middle.toFixed(1)} ${y1} ${middle.toFixed(1)} ${y.toFixed(1)} ${right.toFixed(1)} ${y.toFixed(1)}`,
          "stroke-width": 0.75 + 6 * strength,
        },
        svg.make(
          "title",
          {},
          `${words.name(list.ranking[rank])} → ${words.name(list.ideals[ideal])}: ${words.brief(strength)}`,
        ),
      );
      (isTaken ? taken : paths).push(path);
    }
    const consulted = (rank) =>
      (visits.has(rank) || rank < now ? " consulted" : "") + (rank === now ? " now" : "");
    const parts = [
      svg.text("rank", left - 10, 16, { class: "heading", "text-anchor": "end" }),
      svg.text("list", left + boxes / 2, 16, { class: "heading", "text-anchor": "middle" }),
      svg.text("ideals", right + pills / 2, 16, { class: "heading", "text-anchor": "middle" }),
      ...paths,
      ...taken,
      ...names.flatMap((name, rank) => [
        svg.text(words.whole(rank + 1), left - 10, yOfRank(rank) + 4.5, {
          class: "rank",
          "text-anchor": "end",
        }),
        box(`row${consulted(rank)}`, name, left, yOfRank(rank), boxes, 3),
      ]),
      ...ideals.map((ideal) =>
        box(
          `ideal${seenIdeals.has(ideal) ? " seen" : ""}`,
          list.ideals[ideal],
          right,
          place.get(ideal),
          pills,
          HEIGHT / 2,
        ),
      ),
    ];
    const foot = TOP + rows * PITCH;
    const rest = [];
    if (list.ranking.length > ranks)
      rest.push(`${words.count(list.ranking.length - ranks, "more rank")}`);
    rest.push(`${words.count(list.unranked, "element")} behind the list`);
    parts.push(svg.text(rest.join(", then "), left, foot, { class: "rank" }));
    const label = `A list of ${words.count(list.ranking.length, "rank")} and its links to ${words.count(list.ideals.length, "ideal")}`;
    svg.put(figure, "drawing", width, foot + 14, label, parts);
    return cutSentence(list, ranks, ideals.length);
  }

  function cutSentence(list, ranks, ideals) {
    const left = [];
    if (list.ranking.length > ranks)
      left.push(`the first ${ranks} of ${words.whole(list.ranking.length)} ranks`);
    if (list.ideals.length > ideals)
      left.push(`${ideals} of ${words.whole(list.ideals.length)} ideals`);
    return left.length ? `Drawn are ${left.join(", and ")}; all count.` : "";
  }

  return Object.freeze({ draw });
})();
