"""Time the explorer's engine in Chromium on a list of 100 ranks x 10 ideals, and print Markdown.

python tests/benchmarks/explorer.py [--rounds N]

For each position of the dials, milliseconds: exact values (the median, and the least of the rounds,
which other work disturbs little), and medians for PRUM and for 1,000 users. Some twenty seconds.
"""

import argparse
import sys
from pathlib import Path
from statistics import median

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from tests.benchmarks.compare import table
from tests.browser import started
from tests.explored import engine_in, list_of

RANKS, IDEALS = 100, 10
WARM = 5

ROUNDS = """([given, rounds]) => {
  const times = [];
  for (let round = 0; round < rounds; round++) {
    const setting = engine.setting(given);
    const crowd = engine.crowd(setting, round);
    const marks = [performance.now()];
    const works = [() => engine.exact(setting), () => engine.prum(setting), () => crowd.add(1000)];
    for (const work of works) {
      work();
      marks.push(performance.now());
    }
    times.push(marks.slice(1).map((mark, index) => mark - marks[index]));
  }
  return times;
}"""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=21)
    rounds = parser.parse_args().rounds
    rows = []
    with started() as browser, engine_in(browser) as tab:
        for dependence in (0, -0.5, -1, 0.5, 1):
            for spread in (0, 0.5):
                setting = list_of(RANKS, IDEALS, dependence=dependence, spread=spread)
                times = tab.evaluate(ROUNDS, [setting, WARM + rounds])[WARM:]
                exact, published, users = zip(*times, strict=True)
                shown = [median(exact), min(exact), median(published), median(users)]
                rows.append([f"{dependence:g}", f"{spread:g}", *(f"{ms:.1f}" for ms in shown)])
    columns = ["dependence", "spread", "exact, ms", "least", "PRUM, ms", "1,000 users, ms"]
    table(f"The explorer, {RANKS} ranks x {IDEALS} ideals", columns, rows)


if __name__ == "__main__":
    main()
