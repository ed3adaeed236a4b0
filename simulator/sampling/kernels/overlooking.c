/* Users who overlook ideals, and how likely they are. */

#include "overlooking.h"

/* An element's visits, begin .. end - 1, by a user with factor z who browses by `part`. An ideal is
not seen before where `seen`, every `stride` numbers one ideal's, is `rank` or later. */
typedef struct {
    const DialTables *dials;
    const VisitTables *visits;
    int64_t begin, end;
    double part, z;
    const int32_t *seen;
    int64_t stride, rank;
} Meeting;

/* How much commoner users are by goal, and room: for t + 2 points between comonotone visits, for
P(visit given the common factor), for the parts that these belong to, for a number by factor. */
typedef struct {
    double *ratio, *edges, *given, *parts, *chances;
} Weighing;

static inline double margin_in(const Meeting *meeting, int64_t visit) {
    return margin_of(meeting->dials, meeting->visits, visit, meeting->part, meeting->z);
}

/* Return when the user first sees an ideal. */
static inline int64_t rank_of(const Meeting *meeting, int64_t ideal) {
    return meeting->seen[ideal * meeting->stride];
}

/* Return a visit's margin, 1 where the ideal was seen before: there nothing is left to chance. */
static inline double open_margin(const Meeting *meeting, int64_t visit) {
    bool is_seen = rank_of(meeting, meeting->visits->ideals[visit]) < meeting->rank;
    return is_seen ? 1.0 : margin_in(meeting, visit);
}

/* Return whether users of exclusive visits may see nothing: what they do not see is possible.

`total` is the sum of all margins, `unseen` that of ideals not seen before. */
static inline bool may_see_nothing(double total, double unseen) {
    return total <= 1.0 + 1e-12 && 1.0 - unseen > 1e-12;
}

/* Return P(a path shows something unseen), and write with which probability it is kept. */
static double path_kept(
    const Meeting *meeting, int64_t node, const Reaching *reaching, const double *keeps,
    double *keep) {
    int64_t members = 0, num = 0;
    double total = 0.0;
    for (int64_t ideal = 0; ideal < reaching->t; ideal++) {
        if (rank_of(meeting, ideal) >= meeting->rank) {
            members |= INT64_C(1) << ideal;
            if (reaching->ideals[ideal * reaching->n + node] > 0.0) {
                num++;
                total += keeps[ideal];
            }
        }
    }
    assert(members < reaching->num_sets);
    *keep = num ? total / (double)num : 1.0;
    return meeting->part * reaching->sets[members * reaching->n + node];
}

/* Write between which points comonotone visits show the same unseen ideals; return how many.

Also written: with which probability such users are plain; others take a stretch at random. */
static int64_t stretches(
    const Meeting *meeting, const double *keeps, double *edges, double *keep) {
    int64_t count = 1, num = 0;
    double total = 0.0;
    edges[0] = 0.0;
    for (int64_t visit = meeting->begin; visit < meeting->end; visit++) {
        double margin = open_margin(meeting, visit);
        if (margin <= 0.0 || margin >= 1.0) {
            continue;
        }
        num++;
        total += keeps[meeting->visits->ideals[visit]];
        int64_t place = count;
        while (edges[place - 1] > margin) {
            place--;
        }
        if (edges[place - 1] != margin) {
            memmove(&edges[place + 1], &edges[place], (size_t)(count - place) * sizeof *edges);
            edges[place] = margin;
            count++;
        }
    }
    edges[count] = 1.0;
    *keep = num ? total / (double)num : 1.0;
    return count;
}

/* Write the sum of all margins, and of those of ideals not seen before; return whether a visit
shows an ideal just now. */
static bool sum_margins(const Meeting *meeting, double *total, double *unseen) {
    bool is_new = false;
    *total = *unseen = 0.0;
    for (int64_t visit = meeting->begin; visit < meeting->end; visit++) {
        double margin = margin_in(meeting, visit);
        int64_t at = rank_of(meeting, meeting->visits->ideals[visit]);
        *total += margin;
        *unseen += at >= meeting->rank ? margin : 0.0;
        is_new |= at == meeting->rank;
    }
    return is_new;
}

/* Overlook a whole path, or walk it. */
static void overlook_path(
    Visitor *visitor, const Meeting *meeting, int64_t node, int64_t rank,
    const Reaching *reaching, const double *keeps) {
    double keep, chance = path_kept(meeting, node, reaching, keeps, &keep);
    bool is_overlooked = chance < 1.0 && visitor_unit(visitor) >= keep;
    if (!is_overlooked && visitor_unit(visitor) < meeting->part) {
        walk_from(visitor, node, rank);
    }
}

/* Overlook visits one by one, or comonotone ones together. */
static void overlook_visits(
    Visitor *visitor, const Meeting *meeting, int64_t rank, const double *keeps, double *edges) {
    int64_t rule = visitor->dials->rule;
    Coupled coupled = coupled_by_chance(visitor);
    bool may = rule != COMONOTONE;
    if (rule == EXCLUSIVE) {
        double total, unseen;
        sum_margins(meeting, &total, &unseen);
        may = may_see_nothing(total, unseen);
    }
    if (rule == COMONOTONE) {
        double keep;
        int64_t count = stretches(meeting, keeps, edges, &keep);
        if (visitor_unit(visitor) >= keep) {
            int64_t cell = (int64_t)(visitor_unit(visitor) * (double)count);
            coupled.point = edges[cell] + coupled.point * (edges[cell + 1] - edges[cell]);
        }
    }
    for (int64_t visit = meeting->begin; visit < meeting->end; visit++) {
        double margin = margin_in(meeting, visit);
        int64_t ideal = meeting->visits->ideals[visit];
        double keep = may && margin < 1.0 ? keeps[ideal] : 1.0;
        if (makes(visitor, &coupled, margin) && rank_of(meeting, ideal) == NEVER
            && (keep == 1.0 || visitor_unit(visitor) < keep)) {
            notice(visitor, ideal, rank);
        }
    }
}

static void overlook(
    Visitor *visitor, const Entries *listed, int64_t entry, const Reaching *reaching,
    const double *keeps, double part, double *edges) {
    int64_t rank = listed->ranks[entry], node = listed->nodes[entry];
    notice(visitor, listed->own[entry], rank);
    if (node < 0 || part <= 0.0) {
        return;
    }
    begin_at(visitor, listed->salts[entry]);
    Meeting meeting = {
        .dials = visitor->dials, .visits = visitor->visits, .part = part, .z = visitor->z,
        .seen = &visitor->keys[0][visitor->column], .stride = TILE, .rank = NEVER,
    };
    if (visitor->dials->rule == WALK) {
        overlook_path(visitor, &meeting, node, rank, reaching, keeps);
        return;
    }
    meeting.begin = visitor->visits->starts[node];
    meeting.end = visitor->visits->starts[node + 1];
    overlook_visits(visitor, &meeting, rank, keeps, edges);
}

static void weigh_path(
    const Meeting *meeting, int64_t node, const Reaching *reaching,
    const Overlooking *overlooking, double *ratio) {
    bool is_new = false;
    for (int64_t ideal = 0; ideal < overlooking->t; ideal++) {
        is_new |= rank_of(meeting, ideal) == meeting->rank;
    }
    for (int64_t goal = 0; goal < overlooking->num_goals; goal++) {
        const double *keeps = &overlooking->keeps[goal * overlooking->t];
        double keep, chance = path_kept(meeting, node, reaching, keeps, &keep);
        if (chance < 1.0) {
            ratio[goal] *= is_new ? keep : keep + (1.0 - keep) / (1.0 - chance);
        }
    }
}

static void weigh_comonotone(
    const Meeting *meeting, const Overlooking *overlooking, double *edges, double *ratio) {
    double low = 0.0, high = 1.0;
    for (int64_t visit = meeting->begin; visit < meeting->end; visit++) {
        double margin = open_margin(meeting, visit);
        if (margin <= 0.0 || margin >= 1.0) {
            continue;
        }
        if (rank_of(meeting, meeting->visits->ideals[visit]) == meeting->rank) {
            high = margin < high ? margin : high;
        } else {
            low = margin > low ? margin : low;
        }
    }
    for (int64_t goal = 0; goal < overlooking->num_goals; goal++) {
        double keep;
        int64_t count =
            stretches(meeting, &overlooking->keeps[goal * overlooking->t], edges, &keep);
        ratio[goal] *= keep + (1.0 - keep) / ((double)count * (high - low));
    }
}

static void weigh_independent(
    const Meeting *meeting, const Overlooking *overlooking, double *ratio) {
    for (int64_t goal = 0; goal < overlooking->num_goals; goal++) {
        const double *keeps = &overlooking->keeps[goal * overlooking->t];
        for (int64_t visit = meeting->begin; visit < meeting->end; visit++) {
            int64_t ideal = meeting->visits->ideals[visit];
            double margin = open_margin(meeting, visit);
            if (margin >= 1.0) {
                continue;
            }
            if (rank_of(meeting, ideal) == meeting->rank) {
                ratio[goal] *= keeps[ideal];
            } else {
                ratio[goal] *= (1.0 - margin * keeps[ideal]) / (1.0 - margin);
            }
        }
    }
}

static void weigh_exclusive(
    const Meeting *meeting, const Overlooking *overlooking, double *ratio) {
    double total, unseen;
    bool is_new = sum_margins(meeting, &total, &unseen);
    if (!may_see_nothing(total, unseen)) {
        return;
    }
    for (int64_t goal = 0; goal < overlooking->num_goals; goal++) {
        const double *keeps = &overlooking->keeps[goal * overlooking->t];
        double dropped = 0.0;
        for (int64_t visit = meeting->begin; visit < meeting->end; visit++) {
            int64_t ideal = meeting->visits->ideals[visit];
            double margin = open_margin(meeting, visit);
            if (margin >= 1.0) {
                continue;
            }
            if (rank_of(meeting, ideal) == meeting->rank) {
                ratio[goal] *= keeps[ideal];
            } else {
                dropped += (1.0 - keeps[ideal]) * margin;
            }
        }
        if (!is_new) {
            ratio[goal] *= 1.0 + dropped / (1.0 - unseen);
        }
    }
}

/* Write P(visit given the common factor); 2 where it is certain, without a factor. */
static void condition_visits(
    const Meeting *meeting, const Overlooking *overlooking, double *given) {
    double rho = meeting->dials->rho, root = sqrt(rho), rest = sqrt(1.0 - rho);
    int64_t num = overlooking->num_factors;
    for (int64_t visit = meeting->begin; visit < meeting->end; visit++) {
        double margin = margin_in(meeting, visit);
        bool is_open = 0.0 < margin && margin < 1.0;
        double quantile = is_open ? quantile_of(margin) : 0.0;
        for (int64_t k = 0; k < num; k++) {
            double chance = normal_below((quantile - root * overlooking->factors[k]) / rest);
            given[visit * num + k] = is_open ? chance : margin <= 0.0 ? 0.0 : 2.0;
        }
    }
}

/* Return P(the user sees what they do) if ideals are kept so (NULL: always), with room for a number
by factor. */
static double chance_seen(
    const Meeting *meeting, const Overlooking *overlooking, const double *given,
    const double *keeps, double *restrict chances) {
    int64_t num = overlooking->num_factors;
    memcpy(chances, overlooking->weights, (size_t)num * sizeof *chances);
    for (int64_t visit = meeting->begin; visit < meeting->end; visit++) {
        int64_t ideal = meeting->visits->ideals[visit], at = rank_of(meeting, ideal);
        const double *restrict row = &given[visit * num];
        if (at < meeting->rank || row[0] >= 2.0) {
            continue;
        }
        double keep = keeps ? keeps[ideal] : 1.0;
        if (at == meeting->rank) {
            for (int64_t k = 0; k < num; k++) {
                chances[k] *= row[k] * keep;
            }
        } else {
            for (int64_t k = 0; k < num; k++) {
                chances[k] *= 1.0 - row[k] * keep;
            }
        }
    }
    double total = 0.0;
    for (int64_t k = 0; k < num; k++) {
        total += chances[k];
    }
    return total;
}

static void weigh_copula(
    const Meeting *meeting, const Overlooking *overlooking, const Weighing *weighing) {
    double plain = chance_seen(meeting, overlooking, weighing->given, NULL, weighing->chances);
    for (int64_t goal = 0; goal < overlooking->num_goals; goal++) {
        const double *keeps = &overlooking->keeps[goal * overlooking->t];
        double kept = chance_seen(
            meeting, overlooking, weighing->given, keeps, weighing->chances);
        weighing->ratio[goal] *= kept / plain;
    }
}

/* Multiply ratios by how much commoner it is to see what the user does from an element. */
static void weigh_meeting(
    Meeting *meeting, const Entries *listed, int64_t entry, const Reaching *reaching,
    const Overlooking *overlooking, const Weighing *weighing) {
    const DialTables *dials = meeting->dials;
    int64_t node = listed->nodes[entry];
    if (node < 0 || meeting->part <= 0.0) {
        return;
    }
    if (dials->rule == WALK) {
        weigh_path(meeting, node, reaching, overlooking, weighing->ratio);
        return;
    }
    meeting->begin = meeting->visits->starts[node];
    meeting->end = meeting->visits->starts[node + 1];
    if (dials->rule == COPULA) {
        if (weighing->parts[entry] != meeting->part || dials->one_factor > 0.0) {
            condition_visits(meeting, overlooking, weighing->given);
            weighing->parts[entry] = meeting->part;
        }
        weigh_copula(meeting, overlooking, weighing);
    } else if (dials->rule == COMONOTONE) {
        weigh_comonotone(meeting, overlooking, weighing->edges, weighing->ratio);
    } else if (dials->rule == EXCLUSIVE) {
        weigh_exclusive(meeting, overlooking, weighing->ratio);
    } else {
        weigh_independent(meeting, overlooking, weighing->ratio);
    }
}

void overlooked(
    Memory *memory, int64_t t, int64_t num_users, const Overlooking *overlooking,
    const Reaching *reaching, const DialTables *dials, const VisitTables *visits,
    const Entries *listed, double need, const UserFactors *users, const int32_t seen[t][num_users],
    double out[num_users]) {
    assert(users->n == num_users && overlooking->t == t && dials->most_found == t);
    Weighing weighing = {
        take(memory, overlooking->num_goals, sizeof(double)),
        take(memory, t + 2, sizeof(double)),
        take(memory, visits->num_visits * overlooking->num_factors, sizeof(double)),
        take(memory, listed->n, sizeof(double)),
        take(memory, overlooking->num_factors, sizeof(double)),
    };
    for (int64_t entry = 0; entry < listed->n; entry++) {
        weighing.parts[entry] = -1.0;
    }
    int32_t *own_seen = take(memory, t, sizeof *own_seen);
    for (int64_t user = 0; user < num_users; user++) {
        Meeting meeting = {
            .dials = dials, .visits = visits, .z = users->normals[user], .seen = own_seen,
            .stride = 1,
        };
        size_t size = (size_t)overlooking->num_goals * sizeof(double);
        memcpy(weighing.ratio, overlooking->shares, size);
        for (int64_t ideal = 0; ideal < t; ideal++) {
            own_seen[ideal] = seen[ideal][user];
        }
        int64_t found = 0;
        for (int64_t entry = 0; entry < listed->n && found < t; entry++) {
            int64_t own = listed->own[entry];
            int32_t own_rank = own >= 0 ? own_seen[own] : 0;
            meeting.rank = listed->ranks[entry];
            meeting.part =
                users->factors[user] * need * listed->fades[entry] * dials->satiated[found];
            for (int64_t ideal = 0; ideal < t; ideal++) {
                found += own_seen[ideal] == meeting.rank;
            }
            /* Who consults an ideal has seen it. */
            if (own >= 0) {
                own_seen[own] = 0;
            }
            weigh_meeting(&meeting, listed, entry, reaching, overlooking, &weighing);
            if (own >= 0) {
                own_seen[own] = own_rank;
            }
        }
        for (int64_t goal = 0; goal < overlooking->num_goals; goal++) {
            out[user] += weighing.ratio[goal];
        }
    }
}
