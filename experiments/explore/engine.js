// The explorer's engine: PRUM as published, exact values, and users simulated one by one.
//
// Written from the papers alone, beside prum.analytic and prum.simulator. Numbers of equations are
// those of Piwowarski, Gallinari and Dupret (2007). Throughout, r of m ideals are wanted, s of them
// have been seen, F_i is how many have been within the first i of o ranks, and u elements lie
// behind the list. Sums are of positive terms wherever that can be had: hardly a digit is lost.
"use strict";

const engine = (() => {
  const MOST_TOGETHER = 20;
  const zeros = (n) => new Float64Array(n);

  // ---- What users face -----------------------------------------------------------------------

  // reach: a row for each rank, P(the element shows the ideal) for each ideal; unranked: the number
  // of elements behind the list, among them every ideal that is not in it.
  // strength s: P becomes 1 - (1 - P)^s, and stays where it is 1, as an element's with itself.
  // spread v: half of the users have strength s (1 + v), the others s (1 - v).
  // dependence d: each time an element is consulted, with probability |d| its visits are exclusive
  // (d < 0) or together (d > 0), otherwise independent. behind: the cost of an element behind the
  // list, where one in the list costs 1. C is what was consulted, and CL what of that led to an
  // ideal not seen before, both counted in cost.
  function setting(given) {
    const { reach, unranked, strength = 1, dependence = 0, spread = 0, behind = 1 } = given;
    const ideals = reach.length ? reach[0].length : (given.ideals ?? 0);
    const strengths = spread > 0 ? [strength * (1 + spread), strength * (1 - spread)] : [strength];
    const types = strengths.map((s) => reach.map((row) => context(row.map((p) => powered(p, s)))));
    const ranks = reach.length;
    return Object.freeze({ ideals, ranks, unranked, strength, dependence, spread, behind, types });
  }

  const powered = (p, s) => (p === 1 || s === 1 ? p : -Math.expm1(s * Math.log1p(-p)));

  // What one rank may show: its probabilities, and which ideals it does show and which it may.
  function context(row) {
    const p = Float64Array.from(row);
    const certain = [];
    const possible = [];
    p.forEach((value, x) => {
      if (value === 1) certain.push(x);
      else if (value > 0) possible.push(x);
    });
    // Exclusive visits: the possible ones are laid end to end on a circle of length 1, and those
    // are made in whose stretch a random point lies. As long as they fit, never two of them.
    let end = 0;
    const begins = possible.map((x) => {
      const begin = end;
      end = (end + p[x]) % 1;
      return begin;
    });
    return { p, certain, possible, begins };
  }

  const isOnStretch = (point, begin, length) =>
    (point >= begin ? point - begin : point - begin + 1) < length;

  // ---- Expectations --------------------------------------------------------------------------

  // (5), from sums over the ranks: consulting[s] of P(F_{i-1} = s), leading[s] of P(F_{i-1} = s and
  // F_i > s); and last[s] = P(F_o = s). Behind the list, m - s ideals lie among u elements in
  // random order: each of the r - s still wanted takes (u + 1) / (m - s + 1) draws on average.
  function expectations({ ideals, unranked, behind }, { consulting, leading, last }) {
    const over = (term) =>
      Array.from({ length: ideals }, (_, index) => {
        let sum = 0;
        for (let s = 0; s <= index; s++) sum += term(s, index + 1 - s);
        return sum;
      });
    return {
      leading: over((s, missing) => leading[s] + behind * last[s] * missing),
      consulted: over(
        (s, missing) =>
          consulting[s] + behind * last[s] * missing * ((unranked + 1) / (ideals - s + 1)),
      ),
    };
  }

  const withPrecision = ({ leading, consulted }) => ({
    leading,
    consulted,
    precision: leading.map((value, index) => value / consulted[index]),
  });

  // (7): multiply the law of a count, in place, by that of one more ideal; `size` is its number of
  // ideals so far.
  function include(law, size, seen, unseen) {
    law[size + 1] = law[size] * seen;
    for (let s = size; s > 0; s--) law[s] = law[s] * unseen + law[s - 1] * seen;
    law[0] *= unseen;
  }

  // PRUM as published, Hypotheses 2.1 to 2.3, of the users' mean reach.
  function prum(given) {
    const { ideals: m, ranks, types } = given;
    const seen = zeros(m); // (6), P(x in S_{i-1}), and what it leaves to 1
    const unseen = zeros(m).fill(1);
    const consulting = zeros(m + 1);
    const leading = zeros(m + 1);
    const count = (without) => {
      const law = zeros(m + 1);
      law[0] = 1;
      for (let x = 0, size = 0; x < m; x++) {
        if (x !== without) include(law, size++, seen[x], unseen[x]);
      }
      return law;
    };
    for (let i = 0; i < ranks; i++) {
      const mean = zeros(m);
      for (const rows of types) rows[i].p.forEach((p, x) => (mean[x] += p / types.length));
      const law = count();
      // (8): a noisy-or over the ideals of P(x is new at i, given F_{i-1} = s).
      const anyNew = zeros(m + 1);
      for (let x = 0; x < m; x++) {
        const isNew = mean[x] * unseen[x];
        if (isNew === 0) continue;
        const others = count(x);
        for (let s = 0; s < m; s++) {
          if (law[s] === 0) continue;
          anyNew[s] += (1 - anyNew[s]) * Math.min(1, (isNew * others[s]) / law[s]);
        }
      }
      for (let s = 0; s <= m; s++) {
        consulting[s] += law[s];
        leading[s] += law[s] * anyNew[s];
      }
      for (let x = 0; x < m; x++) {
        seen[x] = mean[x] === 1 ? 1 : seen[x] + unseen[x] * mean[x];
        unseen[x] *= 1 - mean[x];
      }
    }
    return withPrecision(expectations(given, { consulting, leading, last: count() }));
  }

  // The exact values of a setting; null where more than `most` ideals depend on each other.
  function exact(given, most = MOST_TOGETHER) {
    const grouped = given.types.map((rows) => groups(rows, given));
    if (grouped.some((sets) => sets.some((set) => set.length > most))) return null;
    const each = given.types.map((rows, type) =>
      expectations(given, alongList(rows, grouped[type], given)),
    );
    // Precision is a ratio of expectations: users are averaged before it is taken.
    const mean = (name) =>
      each[0][name].map((_, index) => {
        let sum = 0;
        for (const one of each) sum += one[name][index];
        return sum / each.length;
      });
    return withPrecision({ leading: mean("leading"), consulted: mean("consulted") });
  }

  // Split the ideals into sets that are seen independently of each other: single ideals, unless
  // visits of one context depend on each other; then whatever contexts join.
  function groups(rows, { ideals, dependence }) {
    const label = Array.from({ length: ideals }, (_, x) => x);
    if (dependence !== 0) {
      for (const { possible } of rows) {
        for (const x of possible) {
          const [kept, lost] = [label[possible[0]], label[x]];
          if (kept !== lost) label.forEach((value, y) => value === lost && (label[y] = kept));
        }
      }
    }
    const sets = new Map();
    label.forEach((value, x) => sets.set(value, [...(sets.get(value) ?? []), x]));
    return [...sets.values()];
  }

  // Follow the law of the ideals seen along the list, for one type of users.
  function alongList(rows, sets, { ideals: m, dependence }) {
    const lattices = sets.map((set) => lattice(set, dependence));
    const consulting = zeros(m + 1);
    const leading = zeros(m + 1);
    let last;
    for (let i = 0; i <= rows.length; i++) {
      // P(F_{i-1} = s) in two parts: rank i shows nothing new, or something. The sets of ideals are
      // independent, so that the generating functions of both multiply.
      let nothing = zeros(m + 1);
      let something = zeros(m + 1);
      nothing[0] = 1;
      let size = 0;
      for (const one of lattices) {
        const [old, fresh] = i < rows.length ? one.consult(rows[i]) : [one.counts(), null];
        const more = old.length - 1;
        const [nextNothing, nextSomething] = [zeros(m + 1), zeros(m + 1)];
        for (let s = 0; s <= size; s++) {
          for (let n = 0; n <= more; n++) {
            nextNothing[s + n] += nothing[s] * old[n];
            nextSomething[s + n] += something[s] * old[n];
            if (fresh) nextSomething[s + n] += (nothing[s] + something[s]) * fresh[n];
          }
        }
        [nothing, something] = [nextNothing, nextSomething];
        size += more;
      }
      if (i === rows.length) last = nothing;
      else {
        for (let s = 0; s <= m; s++) {
          consulting[s] += nothing[s] + something[s];
          leading[s] += something[s];
        }
      }
    }
    return { consulting, leading, last };
  }

  // The law of which ideals of a set have been seen: P(S = A) for every A, bit j of A for set[j].
  function lattice(set, dependence) {
    const size = 1 << set.length;
    const place = new Map(set.map((x, j) => [x, j]));
    const bits = (ideals) => ideals.reduce((sum, x) => sum | (1 << place.get(x)), 0);
    const ones = new Uint8Array(size);
    for (let A = 1; A < size; A++) ones[A] = ones[A >> 1] + (A & 1);
    const [seen, after, escape, most] = [zeros(size), zeros(size), zeros(size), zeros(size)];
    seen[0] = 1;

    function counts() {
      const law = zeros(set.length + 1);
      for (let A = 0; A < size; A++) law[ones[A]] += seen[A];
      return law;
    }

    // Consult one more element, which shows the ideals N. Return P(|S| = s before, and nothing is
    // new) and P(|S| = s before, and something is).
    function consult(row) {
      const p = set.map((x) => row.p[x]);
      if (!p.some((one) => one > 0)) return [counts(), null];
      const joint = p.filter((one) => one > 0 && one < 1).length > 1 ? Math.abs(dependence) : 0;
      after.fill(0);
      escape.fill(0);
      if (joint < 1) {
        add(after, seen, 1 - joint);
        p.forEach((one, j) => show(after, 1 << j, one));
        escapeAlone(escape, p, 1 - joint);
      }
      if (joint > 0 && dependence > 0) {
        showTogether(seen, after, p, joint);
        escapeTogether(most, p);
        add(escape, most, joint);
      } else if (joint > 0) {
        const certain = bits(row.certain.filter((x) => place.has(x)));
        for (const [ideals, probability] of exclusive(row)) {
          move(seen, after, escape, bits(ideals) | certain, joint * probability);
        }
      }
      const [old, fresh] = [zeros(set.length + 1), zeros(set.length + 1)];
      for (let A = 0; A < size; A++) {
        const leaving = seen[A] * escape[A];
        fresh[ones[A]] += leaving;
        old[ones[A]] += seen[A] - leaving;
      }
      seen.set(after);
      return [old, fresh];
    }

    return { counts, consult };
  }

  // What follows is called for each rank and each ideal; the loops run over laws of 2^m sets.

  function add(to, from, weight) {
    for (let A = 0; A < to.length; A++) to[A] += weight * from[A];
  }

  // Show an ideal with probability p, whatever else is shown.
  function show(law, bit, p) {
    if (p === 0) return;
    const size = law.length;
    for (let base = 0; base < size; base += 2 * bit) {
      for (let A = base; A < base + bit; A++) {
        const rest = law[A];
        law[A + bit] += rest * p;
        law[A] = rest * (1 - p);
      }
    }
  }

  // escape[A] = weight P(N is not a subset of A), of visits on their own: the first ideal that A
  // lacks is shown, or it is not and another one is.
  function escapeAlone(escape, p, weight) {
    for (let A = escape.length - 2; A >= 0; A--) {
      const first = p[31 - Math.clz32(~A & (A + 1))];
      escape[A] = first * weight + (1 - first) * escape[A | (A + 1)];
    }
  }

  // Visits made together: a number is compared with each p, so that the set that is shown grows
  // along falling p. `law` is that of the sets with the ideals so far, half as many each time.
  function showTogether(from, to, p, weight) {
    const law = from.slice();
    const sets = new Int32Array(from.length);
    for (let A = 0; A < sets.length; A++) sets[A] = A;
    const left = [...p.keys()]; // the ideals that tell the sets in `law` apart
    let size = law.length;
    let above = 1;
    const put = (p) => {
      const share = weight * (above - p);
      if (share > 0) for (let n = 0; n < size; n++) to[sets[n]] += share * law[n];
      above = p;
    };
    for (const j of [...left].sort((j, k) => p[k] - p[j])) {
      put(p[j]);
      if (p[j] === 0) return;
      const half = 1 << left.indexOf(j);
      left.splice(left.indexOf(j), 1);
      let n = 0;
      for (let base = 0; base < size; base += 2 * half) {
        for (let A = base; A < base + half; A++, n++) {
          law[n] = law[A] + law[A + half];
          sets[n] = sets[A + half];
        }
      }
      size = n;
    }
    put(0);
  }

  // P(N is not a subset of A) = the largest p of an ideal that A lacks.
  function escapeTogether(most, p) {
    for (let A = most.length - 2; A >= 0; A--) {
      most[A] = Math.max(p[31 - Math.clz32(~A & (A + 1))], most[A | (A + 1)]);
    }
  }

  // Show the ideals N, and no others, with probability w.
  function move(from, to, escape, N, w) {
    const size = from.length;
    const bit = N & -N;
    if (N === 0) add(to, from, w);
    else if (N !== bit) {
      for (let A = 0; A < size; A++) {
        to[A | N] += w * from[A];
        if (N & ~A) escape[A] += w;
      }
    } else {
      // The same for a single ideal, without a jump at each step.
      for (let base = 0; base < size; base += 2 * bit) {
        for (let A = base; A < base + bit; A++) {
          to[A + bit] += w * (from[A] + from[A + bit]);
          escape[A] += w;
        }
      }
    }
  }

  // The sets that exclusive visits may see, with probabilities: arcs between ends of stretches.
  function exclusive({ p, possible, begins }) {
    const cuts = new Set([0, 1, ...begins]);
    possible.forEach((x, n) => cuts.add((begins[n] + p[x]) % 1));
    const points = [...cuts].sort((a, b) => a - b);
    return points.slice(1).map((end, n) => {
      const middle = points[n] + (end - points[n]) / 2;
      const visited = possible.filter((x, k) => isOnStretch(middle, begins[k], p[x]));
      return [visited, end - points[n]];
    });
  }

  // ---- Users ---------------------------------------------------------------------------------

  // sfc32: a stream of uniform numbers for each user, a function of the seed and the user's number.
  // They are multiples of 2^-32, so that a probability is off by 2^-32 at most.
  function stream(seed) {
    let a, b, c, counter;
    const uniform = () => {
      const word = (a + b + counter) | 0;
      counter = (counter + 1) | 0;
      a = b ^ (b >>> 9);
      b = (c + (c << 3)) | 0;
      c = (((c << 21) | (c >>> 11)) + word) | 0;
      return (word >>> 0) / 4294967296;
    };
    const start = (user) => {
      [a, b, c, counter] = [user | 0, seed | 0, Math.floor(seed / 4294967296) | 0, 1];
      for (let round = 0; round < 15; round++) uniform();
    };
    return { start, uniform };
  }

  // Users who browse: each consults rank after rank, tosses every visit, and goes on behind the
  // list. The same seed makes the same users, whatever the batches in which they are added.
  function crowd(given, seed) {
    const { ideals: m, ranks, types, dependence, unranked, behind } = given;
    const { start, uniform } = stream(seed);
    // Means, and sums of products of deviations from them, updated user by user (Welford): what
    // does not vary has a variance of exactly 0.
    const [leading, consulted] = [zeros(m), zeros(m)];
    const [leadingSquares, consultedSquares, products] = [zeros(m), zeros(m), zeros(m)];
    let users = 0;

    function visits({ p, certain, possible, begins }) {
      if (!possible.length) return certain;
      const visited = certain.slice();
      if (possible.length > 1 && dependence !== 0 && uniform() < Math.abs(dependence)) {
        const point = uniform();
        possible.forEach((x, n) => {
          if (dependence > 0 ? point < p[x] : isOnStretch(point, begins[n], p[x])) visited.push(x);
        });
      } else for (const x of possible) if (uniform() < p[x]) visited.push(x);
      return visited;
    }

    // Let user k browse until `wanted` ideals are seen. tell(rank, visited, fresh) hears of each
    // rank, and behind the list of the elements that are ideal and new.
    function session(k, wanted, tell) {
      start(k);
      const rows = types[types.length > 1 && uniform() < 0.5 ? 1 : 0];
      const isSeen = new Uint8Array(m);
      let found = 0;
      for (let i = 0; i < ranks && found < wanted; i++) {
        const visited = visits(rows[i]);
        const fresh = visited.filter((x) => !isSeen[x]);
        for (const x of fresh) isSeen[x] = 1;
        found += fresh.length;
        tell(i + 1, visited, fresh);
      }
      if (found >= wanted) return;
      // The ideals not seen yet, shuffled, at as many of the u places behind the list (Floyd).
      const missing = [];
      for (let x = 0; x < m; x++) if (!isSeen[x]) missing.push(x);
      const places = new Set();
      for (let n = unranked - missing.length + 1; n <= unranked; n++) {
        const drawn = 1 + Math.floor(uniform() * n);
        places.add(places.has(drawn) ? n : drawn);
      }
      for (let n = missing.length - 1; n > 0; n--) {
        const other = Math.floor(uniform() * (n + 1));
        [missing[n], missing[other]] = [missing[other], missing[n]];
      }
      const sorted = [...places].sort((first, second) => first - second);
      for (let n = 0; n < wanted - found; n++) tell(ranks + sorted[n], [missing[n]], [missing[n]]);
    }

    function add(n) {
      for (const stop = users + n; users < stop; ) {
        let found = 0;
        let [led, ledBehind] = [0, 0];
        session(users, m, (rank, _, fresh) => {
          if (!fresh.length) return;
          const drawn = Math.max(0, rank - ranks);
          if (drawn) ledBehind += 1;
          else led += 1;
          const cost = rank - drawn + behind * drawn;
          for (const stop = found + fresh.length; found < stop; found++) {
            note(found, led + behind * ledBehind, cost);
          }
        });
        users += 1;
      }
    }

    function note(index, led, cost) {
      const [offLed, offCost] = [led - leading[index], cost - consulted[index]];
      leading[index] += offLed / (users + 1);
      consulted[index] += offCost / (users + 1);
      leadingSquares[index] += offLed * (led - leading[index]);
      consultedSquares[index] += offCost * (cost - consulted[index]);
      products[index] += offLed * (cost - consulted[index]);
    }

    // Means over the users so far, NaN of none; standard errors are NaN of fewer than two.
    function estimates() {
      const value = (mean) => Array.from(mean, (one) => (users ? one : NaN));
      const result = withPrecision({ leading: value(leading), consulted: value(consulted) });
      // The delta method: the ratio's error is that of CL - precision C, by E[C].
      const residual = result.precision.map((ratio, index) => {
        const parts = leadingSquares[index] + ratio * ratio * consultedSquares[index];
        const left = parts - 2 * ratio * products[index];
        return left > 1e-13 * parts ? left / consulted[index] ** 2 : 0; // below: rounding
      });
      return {
        ...result,
        error: residual.map((one) => (users > 1 ? Math.sqrt(one / (users - 1) / users) : NaN)),
      };
    }

    // The session of user k, until r ideals are seen: { rank, visited, seen }; `seen` are those
    // visited for the first time. Behind the list only elements that show one are told.
    function walkthrough(k, r) {
      const events = [];
      session(k, Math.min(r, m), (rank, visited, seen) => {
        events.push({ rank, visited: visited.slice(), seen });
      });
      return events;
    }

    return Object.freeze({
      add,
      estimates,
      walkthrough,
      get users() {
        return users;
      },
    });
  }

  return Object.freeze({ setting, prum, exact, crowd });
})();
