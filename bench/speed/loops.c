/* The loops of `play` as one would write them in C: how fast could this arithmetic be?

   Each loop chooses the same labels as our learner with the same seed; `bench.speed` checks it.
   Weights are feature-major, (d, k). Rows are CSR, or dense where `starts` is NULL; the loops are
   inlined with `dense` as a constant, so neither kind of row pays for the other. */

#include "rows.h"

/* Banditron */
ALWAYS void banditron_(ALL, double gamma, int dense) {
    double s[MOST];
    for (long t = 0; t < X->n; t++) {
        Row x = row(X, t, dense);
        scores(x, W, k, s);
        Choice c = explore(best(s, k), k, gamma, rng);
        int right = c.label == y[t];
        double a = right ? 1 / c.propensity : 0;
        if (c.label == c.greedy) a -= 1;
        else add(-1, x, W, k, c.greedy);
        if (a != 0) add(a, x, W, k, c.label);
        keep(to, t, c, right);
    }
}

/* ConservativeOVA, PA-I */
static inline Choice among_ties(const double *s, long k, uint64_t *rng) {
    long greedy = best(s, k), ties = 0, label = 0;
    for (long r = 0; r < k; r++) ties += s[r] == s[greedy];
    if (ties == 1) return (Choice){greedy, greedy, 1};
    long nth = (long)(uniform(rng) * ties);
    for (long r = 0; r < k; r++)
        if (s[r] == s[greedy] && nth-- == 0) label = r;
    return (Choice){label, greedy, 1.0 / ties};
}

static inline double pa_step(double f, double b, double norm, double C) {
    double loss = 1 - b * f;
    if (loss <= 0 || norm == 0) return 0;
    return b * (loss / norm < C ? loss / norm : C);
}

ALWAYS void conservative_(ALL, double C, int dense) {
    double s[MOST], a[MOST];
    for (long t = 0; t < X->n; t++) {
        Row x = row(X, t, dense);
        scores(x, W, k, s);
        Choice c = among_ties(s, k, rng);
        int right = c.label == y[t], moved = 0;
        keep(to, t, c, right);
        double norm = 0;
        for (long i = 0; i < x.size; i++) norm += x.value[i] * x.value[i];
        if (!right) {
            double step = pa_step(s[c.label], -1, norm, C);
            if (step != 0) add(step, x, W, k, c.label);
            continue;
        }
        for (long r = 0; r < k; r++) {
            a[r] = pa_step(s[r], r == c.label ? 1 : -1, norm, C);
            moved |= a[r] != 0;
        }
        for (long i = 0; moved && i < x.size; i++) {
            double v = x.value[i], *w = W + feature(x, i) * k;
            for (long r = 0; r < k; r++) w[r] += a[r] * v;
        }
    }
}

/* SOBA with the diagonal of A */
ALWAYS void soba_learn(Row x, long k, long r, double sign, double P, double *W, double *A) {
    for (long i = 0; i < x.size; i++) {
        long at = feature(x, i) * k + r;
        double v = x.value[i], theta = W[at] * A[at] + sign * v / P;
        A[at] += v * v / P;
        W[at] = theta / A[at];
    }
}

ALWAYS void soba_(ALL, double *A, double gamma, int dense) {
    double s[MOST], sum = 0;
    for (long t = 0; t < X->n; t++) {
        Row x = row(X, t, dense);
        scores(x, W, k, s);
        Choice c = explore(best(s, k), k, gamma, rng);
        int right = c.label == y[t];
        keep(to, t, c, right);
        if (!right) continue;
        long bar = c.label == 0 ? 1 : 0;
        for (long r = 0; r < k; r++)
            if (r != c.label && s[r] > s[bar]) bar = r;
        double D = s[bar] - s[c.label], P = c.propensity, q = 0;
        for (long i = 0; i < x.size; i++) {
            const double v = x.value[i], *a = A + feature(x, i) * k;
            q += v * v * (1 / a[bar] + 1 / a[c.label]);
        }
        q /= P;
        double m = (D * D + 2 * D) / (P * (1 + q));
        if (sum + m < 0) continue;
        sum += m;
        soba_learn(x, k, bar, -1, P, W, A);
        soba_learn(x, k, c.label, 1, P, W, A);
    }
}

/* InverseGap: SquareCB, logistic */
static inline double logistic(double m) { return 1 / (1 + exp(-m)); }

static inline Choice by_gap(const double *m, long k, double g, uint64_t *rng) {
    double cost[MOST], p[MOST], rest = 1;
    for (long r = 0; r < k; r++) cost[r] = 1 - logistic(m[r]);
    long top = best(m, k), label = 0;
    for (long r = 0; r < k; r++)
        if (r != top) rest -= p[r] = 1 / (k + g * (cost[r] - cost[top]));
    p[top] = rest;
    double u = uniform(rng);
    for (long r = 0; r < k; r++)
        if (p[r] > 0) {
            label = r;
            if (u < p[r]) break;
            u -= p[r];
        }
    return (Choice){label, top, p[label]};
}

static inline void descend(double g, double eta, double *w, double *past) {
    *past += g * g;
    *w -= eta * g / sqrt(*past > 1e-300 ? *past : 1e-300);
}

ALWAYS void inverse_gap_(ALL, double *G, double scale, double exponent, double eta, int dense) {
    double m[MOST], slope[MOST];
    for (long t = 0; t < X->n; t++) {
        Row x = row(X, t, dense);
        scores(x, W, k, m);
        Choice c = by_gap(m, k, scale * pow(t + 1.0, exponent), rng);
        int right = c.label == y[t];
        long first = right ? 0 : c.label, end = right ? k : c.label + 1;
        for (long r = first; r < end; r++)
            slope[r] = logistic(m[r]) - (right && r == c.label ? 1 : 0);
        for (long i = 0; i < x.size; i++) {
            double v = x.value[i], *w = W + feature(x, i) * k, *past = G + feature(x, i) * k;
            for (long r = first; r < end; r++) descend(slope[r] * v, eta, w + r, past + r);
        }
        keep(to, t, c, right);
    }
}

#define BOTH(loop, ...) \
    if (X->starts) loop(X, y, to, k, rng, W, __VA_ARGS__, 0); \
    else loop(X, y, to, k, rng, W, __VA_ARGS__, 1)

void banditron(ALL, double gamma) { BOTH(banditron_, gamma); }
void conservative(ALL, double C) { BOTH(conservative_, C); }
void soba(ALL, double *A, double gamma) { BOTH(soba_, A, gamma); }
void inverse_gap(ALL, double *G, double scale, double exponent, double eta) {
    BOTH(inverse_gap_, G, scale, exponent, eta);
}
