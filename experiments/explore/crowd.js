// The pace at which users come: a few one by one, then ever more, never longer than a frame takes.
const pacing = (() => {
  const FRAME = 10;
  const FIRST_USERS = 6;
  const FIRST_PAUSE = 450;
  const GROWTH = 1.03;

  // changed(why): "user" after one of the first, "users" after others, "end" when all are there.
  function crowdOf(changed) {
    let [crowd, goal, isPlaying, waiting] = [null, 0, false, 0];
    let marks = [];
    let perUser = 0.05; // milliseconds

    function mark() {
      const { precision, error } = crowd.estimates();
      marks.push({ users: crowd.users, precision, error });
    }
    const nextMark = (users) => Math.max(users + 1, Math.ceil(users * 1.12));

    // Add users until the goal, or until the frame is over.
    function fill() {
      const begin = performance.now();
      while (crowd.users < goal && performance.now() - begin < FRAME) {
        const before = performance.now();
        const users = crowd.users;
        const due = marks.length ? nextMark(marks.at(-1).users) : 1;
        const room = Math.max(1, Math.floor(FRAME / 3 / perUser));
        const more = Math.min(goal - users, Math.max(due - users, 1), room);
        crowd.add(more);
        perUser = Math.max((performance.now() - before) / more, 1e-4);
        if (crowd.users >= due) mark();
      }
    }

    function frame() {
      waiting = 0;
      if (!crowd) return;
      const isOneByOne = isPlaying && crowd.users < FIRST_USERS;
      if (isPlaying && crowd.users >= goal) {
        const more = isOneByOne ? 1 : Math.ceil(crowd.users * (GROWTH - 1));
        goal = Math.min(crowd.users + more, world.MOST_USERS);
      }
      fill();
      const isThere = crowd.users >= goal;
      if (isThere && (!isPlaying || goal >= world.MOST_USERS)) {
        isPlaying = false;
        if (crowd.users && marks.at(-1)?.users !== crowd.users) mark();
        changed("end");
        return;
      }
      changed(isOneByOne ? "user" : "users");
      wait(isThere && isOneByOne ? FIRST_PAUSE : 0);
    }

    function wait(pause) {
      stop();
      if (pause) {
        const timer = setTimeout(frame, pause);
        waiting = () => clearTimeout(timer);
      } else {
        const request = requestAnimationFrame(frame);
        waiting = () => cancelAnimationFrame(request);
      }
    }
    function stop() {
      if (waiting) waiting();
      waiting = 0;
    }

    return Object.freeze({
      // Begin anew, with so many users to come.
      restart(setting, seed, users) {
        crowd = engine.crowd(setting, seed);
        marks = [];
        goal = users;
        stop();
        if (goal || isPlaying) wait(0);
      },
      play() {
        isPlaying = true;
        wait(0);
      },
      pause() {
        isPlaying = false;
        goal = crowd.users;
        wait(0);
      },
      more(users) {
        goal = Math.min(goal + users, world.MOST_USERS);
        wait(0);
      },
      walkthrough: (user, r) => crowd.walkthrough(user, r),
      estimates: () => crowd.estimates(),
      get marks() {
        const last = marks.at(-1);
        if (!crowd.users || last?.users === crowd.users) return marks;
        const { precision, error } = crowd.estimates();
        return [...marks, { users: crowd.users, precision, error }];
      },
      get users() {
        return crowd ? crowd.users : 0;
      },
      get goal() {
        return goal;
      },
      get isPlaying() {
        return isPlaying;
      },
    });
  }

  return Object.freeze({ crowdOf });
})();
