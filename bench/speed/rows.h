/* What the loops of every learner share: rows, the generator, scores, uniform exploration. */

#include <math.h>
#include <stddef.h>
#include <stdint.h>

#define MOST 256 /* classes */
#define ALWAYS static inline __attribute__((always_inline))
#define ALL const Rows *X, const int64_t *y, Trace to, long k, uint64_t *rng, double *W

typedef struct { const int32_t *starts, *indices; const double *values; long n, d; } Rows;
typedef struct { const int32_t *index; const double *value; long size; int dense; } Row;
typedef struct { int64_t *label, *greedy; double *propensity; uint8_t *correct; } Trace;
typedef struct { long label, greedy; double propensity; } Choice;

ALWAYS Row row(const Rows *X, long t, int dense) {
    if (dense) return (Row){NULL, X->values + t * X->d, X->d, 1};
    long start = X->starts[t], stop = X->starts[t + 1];
    return (Row){X->indices + start, X->values + start, stop - start, 0};
}

ALWAYS long feature(Row x, long i) { return x.dense ? i : x.index[i]; }

ALWAYS void keep(Trace to, long t, Choice c, int right) {
    to.label[t] = c.label, to.greedy[t] = c.greedy;
    to.propensity[t] = c.propensity, to.correct[t] = right;
}

/* SplitMix64 */
static inline double uniform(uint64_t *rng) {
    uint64_t z = *rng += 0x9E3779B97F4A7C15;
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EB;
    return (double)((z ^ (z >> 31)) >> 11) * 0x1p-53;
}

ALWAYS void scores(Row x, const double *W, long k, double *s) {
    for (long r = 0; r < k; r++) s[r] = 0;
    for (long i = 0; i < x.size; i++) {
        const double v = x.value[i], *w = W + feature(x, i) * k;
        for (long r = 0; r < k; r++) s[r] += v * w[r];
    }
}

static inline long best(const double *s, long k) {
    long top = 0;
    for (long r = 1; r < k; r++)
        if (s[r] > s[top]) top = r;
    return top;
}

static inline Choice explore(long greedy, long k, double gamma, uint64_t *rng) {
    double u = uniform(rng), p = gamma / k;
    long label = u < gamma ? (long)(u / gamma * k) : greedy;
    if (label > k - 1) label = k - 1;
    return (Choice){label, greedy, label == greedy ? 1 - gamma + p : p};
}

ALWAYS void add(double a, Row x, double *W, long k, long r) {
    for (long i = 0; i < x.size; i++) W[feature(x, i) * k + r] += a * x.value[i];
}
