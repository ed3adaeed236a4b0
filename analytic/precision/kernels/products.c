/* The law of a number of independent events. */

#include "kernels.h"
#include "polynomials.h"

void product(int64_t m, const double seen[m], const double unseen[m], double out[m + 1]) {
    memset(out, 0, (size_t)(m + 1) * sizeof *out);
    out[0] = 1.0;
    Poly poly = {out, 0, 0, 0};
    for (int64_t k = 0; k < m; k++) {
        if (unseen[k] == 0.0) {
            poly.certain++;
        } else if (seen[k] > 0.0) {
            multiply(&poly, (Factor){unseen[k], seen[k]});
        }
    }
    if (poly.certain) {
        size_t size = (size_t)(poly.high + 1 - poly.low) * sizeof *out;
        memmove(&out[poly.low + poly.certain], &out[poly.low], size);
        memset(out, 0, (size_t)(poly.low + poly.certain) * sizeof *out);
    }
}
