/* Tables of who visited what, made others with the same margins. */

#include "kernels.h"

void swap_visits(
    int64_t num, int64_t n, int64_t m, int64_t visits, int64_t size, bool tables[num][n][m],
    const int64_t rows[num][visits], int64_t columns[num][visits],
    const int32_t picks[num][size][2]) {
    for (int64_t k = 0; k < num; k++) {
        for (int64_t pick = 0; pick < size; pick++) {
            int32_t first = picks[k][pick][0], second = picks[k][pick][1];
            assert(0 <= first && first < visits && 0 <= second && second < visits);
            int64_t a = rows[k][first], y = columns[k][first];
            int64_t b = rows[k][second], z = columns[k][second];
            assert(0 <= a && a < n && 0 <= b && b < n && 0 <= y && y < m && 0 <= z && z < m);
            if (!tables[k][a][z] && !tables[k][b][y]) {
                tables[k][a][y] = tables[k][b][z] = false;
                tables[k][a][z] = tables[k][b][y] = true;
                columns[k][first] = z;
                columns[k][second] = y;
            }
        }
    }
}
