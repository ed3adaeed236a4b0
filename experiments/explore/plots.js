// The two plots: the estimate as users accumulate, and precision at each r.
const plots = (() => {
  const HEIGHT = 260;
  const [LEFT, RIGHT, TOP, BOTTOM] = [46, 12, 10, 40];
  // Marks of fewer users do not decide how far the axis goes.
  const FIRST_MARK = 100;

  function ticks(low, high, most) {
    const raw = (high - low) / most;
    const power = 10 ** Math.floor(Math.log10(raw));
    const step = [1, 2, 5, 10].find((times) => times * power >= raw * 0.999) * power;
    const made = [];
    for (let n = Math.ceil(low / step - 1e-9); n * step <= high + 1e-9 * step; n++)
      made.push(n * step);
    return { made, digits: Math.max(0, -Math.floor(Math.log10(step) + 1e-9)) };
  }

  function fitted(values) {
    const known = values.filter(Number.isFinite);
    let [low, high] = [Math.min(...known), Math.max(...known)];
    const pad = Math.max((high - low) * 0.12, 0.01);
    [low, high] = [Math.max(low - pad, 0), high + pad];
    return [low, high];
  }

  // A frame: axes with ticks, and where points lie.
  function frame(figure, [low, high], xAt, xTicks, xLabel) {
    const width = Math.max(figure.clientWidth, 240);
    const x = (value) => LEFT + (width - LEFT - RIGHT) * xAt(value);
    const y = (value) => {
      const inside = TOP + (HEIGHT - TOP - BOTTOM) * (1 - (value - low) / (high - low));
      return Math.min(Math.max(inside, TOP), HEIGHT - BOTTOM);
    };
    const { made, digits } = ticks(low, high, 5);
    const parts = made.flatMap((value) => [
      svg.make("path", { class: "grid", d: `M${LEFT} ${y(value).toFixed(1)}H${width - RIGHT}` }),
      svg.text(words.brief(value, digits), LEFT - 8, y(value) + 4, {
        class: "tick",
        "text-anchor": "end",
      }),
    ]);
    for (const [value, text] of xTicks) {
      const anchor = xAt(value) > 0.95 && text.length > 3 ? "end" : "middle";
      const place = anchor === "end" ? width - RIGHT + 8 : x(value);
      parts.push(
        svg.text(text, place, HEIGHT - BOTTOM + 18, { class: "tick", "text-anchor": anchor }),
      );
    }
    parts.push(
      svg.text(xLabel, (LEFT + width - RIGHT) / 2, HEIGHT - 4, {
        class: "tick",
        "text-anchor": "middle",
      }),
    );
    return { width, x, y, parts };
  }

  const joined = (points) =>
    points.map(([x, y], n) => `${n ? "L" : "M"}${x.toFixed(1)} ${y.toFixed(1)}`).join("");
  const bandOf = (upper, lower) =>
    `${joined(upper)}${joined(lower.slice().reverse()).replace("M", "L")}Z`;

  function closing(figure, { state, numbers, marks }) {
    const index = state.r - 1;
    const at = marks.map(({ users, precision, error }) => ({
      users,
      value: precision[index],
      half: words.half(error[index]) || 0,
    }));
    const [said, exact] = [numbers.prum.precision[index], numbers.exact?.precision[index] ?? NaN];
    const many = at.filter(({ users }) => users >= FIRST_MARK);
    const ends = (many.length ? many : at.slice(-1)).flatMap(({ value, half }) => [
      value - half,
      value + half,
    ]);
    const decades = Math.max(3, Math.ceil(Math.log10(at.at(-1)?.users ?? 1) - 1e-9));
    const xTicks = Array.from({ length: decades + 1 }, (_, n) => [
      10 ** n,
      words.whole(10 ** n),
    ]);
    const shownTicks = xTicks.filter(
      (_, n) => figure.clientWidth > 420 || n % 2 === 0 || decades < 5,
    );
    const { width, x, y, parts } = frame(
      figure,
      fitted([said, exact, ...ends]),
      (users) => Math.log10(users) / decades,
      shownTicks,
      "users",
    );
    const upper = at.map(({ users, value, half }) => [x(users), y(value + half)]);
    const lower = at.map(({ users, value, half }) => [x(users), y(value - half)]);
    if (at.length > 1) {
      parts.push(svg.make("path", { class: "band", d: bandOf(upper, lower) }));
      parts.push(
        svg.make("path", {
          class: "users",
          d: joined(at.map(({ users, value }) => [x(users), y(value)])),
        }),
      );
    }
    if (at.length)
      parts.push(svg.make("circle", { cx: x(at.at(-1).users), cy: y(at.at(-1).value), r: 4 }));
    const across = (value, kind) =>
      svg.make("path", { class: kind, d: `M${LEFT} ${y(value).toFixed(1)}H${width - RIGHT}` });
    parts.push(across(said, "prum"));
    if (numbers.exact) parts.push(across(exact, "exact"));
    const label = at.length
      ? `The estimate of precision after 1 to ${words.count(at.at(-1).users, "user")}, beside PRUM and the exact value`
      : "PRUM and the exact value; no user yet";
    svg.put(figure, "plot", width, HEIGHT, label, parts);
  }

  function curve(figure, { state, list, numbers, users, estimates }) {
    const m = list.ideals.length;
    const exact = numbers.exact?.precision ?? [];
    const halves = users > 1 ? Array.from(estimates.error, (error) => words.half(error)) : [];
    const isKnown = users >= FIRST_MARK;
    const ends = isKnown
      ? halves.flatMap((half, r) => [estimates.precision[r] - half, estimates.precision[r] + half])
      : [];
    const range = fitted([...numbers.prum.precision, ...exact, ...ends]);
    const rs = Array.from({ length: m }, (_, r) => r + 1);
    const xAt = (r) => (m === 1 ? 0.5 : 0.03 + (0.94 * (r - 1)) / (m - 1));
    const { made } =
      m === 1 ? { made: [1] } : ticks(1, m, Math.min(m - 1, figure.clientWidth > 420 ? 10 : 5));
    const whole = [...new Set([1, ...made.filter(Number.isInteger)])];
    const { width, x, y, parts } = frame(
      figure,
      range,
      xAt,
      whole.map((r) => [r, String(r)]),
      "r, ideals that users want",
    );
    const line = (values, kind) => {
      const points = rs.map((r) => [x(r), y(values[r - 1])]);
      if (m === 1)
        points.push([points[0][0] + 20, points[0][1]], [points[0][0] - 20, points[0][1]]);
      return svg.make("path", { class: kind, d: joined(points) });
    };
    parts.unshift(
      svg.make("path", {
        class: "chosen",
        d: `M${x(state.r).toFixed(1)} ${TOP}V${HEIGHT - BOTTOM}`,
      }),
    );
    parts.push(line(numbers.prum.precision, "prum"));
    if (numbers.exact) parts.push(line(exact, "exact"));
    if (users) {
      for (const r of rs) {
        const [value, half] = [estimates.precision[r - 1], halves[r - 1] ?? 0];
        parts.push(
          svg.make("path", {
            class: "users",
            d: `M${x(r).toFixed(1)} ${y(value - half).toFixed(1)}V${y(value + half).toFixed(1)}`,
          }),
        );
        parts.push(svg.make("circle", { cx: x(r), cy: y(value), r: 3.5 }));
      }
    }
    svg.put(
      figure,
      "plot",
      width,
      HEIGHT,
      "Precision at each r, of PRUM, the exact value and users",
      parts,
    );
  }

  return Object.freeze({ closing, curve });
})();
