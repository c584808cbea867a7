"""The generator: its published numbers, and the distributions of its samples."""

import math

import numpy as np
import pytest

from onearm.core.rng import below, bits, draw, keyed, normal, pick, poisson, seeded, uniform

N = 4000  # draws; bounds below are at 5 standard deviations or more: false alarms under 1 in 10⁶


def test_splitmix_numbers():
    """The first numbers of SplitMix64 from the state 1234567, as published with the algorithm."""
    rng = np.array([1234567], np.uint64)
    expected = [6457827717110365317, 3203168211198807973, 9817491932198370423]
    assert [int(bits(rng)) for _ in expected] == expected


def test_streams_and_seeds_differ():
    firsts = {int(bits(seeded(seed, stream))) for seed in range(50) for stream in range(4)}
    assert len(firsts) == 200


def test_generators_of_keys_stay_as_they_are():
    """Golden values: logged choices are drawn again from their keys, years later."""
    assert int(keyed(0, "event-17")[0]) == 11636746892311149601
    assert int(keyed(2**63 - 1, "Ereignis ü")[0]) == 5450829857319841051
    assert keyed(0, 17) == keyed(0, "17") == keyed(0, b"17") == keyed(0, np.int64(17))
    firsts = {int(bits(keyed(seed, key))) for seed in range(20) for key in range(20)}
    assert len(firsts) == 400


@pytest.mark.parametrize("key", [None, 1.0, True, ("a",), bytearray(b"a")])
def test_keys_of_other_types_are_refused(key):
    with pytest.raises(ValueError, match="key must be a text, bytes or an integer, got"):
        keyed(0, key)


def test_uniform():
    rng = seeded(1)
    u = np.array([uniform(rng) for _ in range(N)])
    assert ((u >= 0) & (u < 1)).all()
    assert abs(u.mean() - 0.5) < 5 * math.sqrt(1 / 12 / N)
    assert abs((u**2).mean() - 1 / 3) < 5 * math.sqrt(4 / 45 / N)


def test_below():
    rng = seeded(2)
    counts = np.bincount([below(7, rng) for _ in range(N)], minlength=7)
    assert len(counts) == 7
    assert (abs(counts - N / 7) < 5.5 * math.sqrt(N * 6 / 49)).all()


def test_normal():
    rng = seeded(3)
    z = np.array([normal(rng) for _ in range(N)])
    assert abs(z.mean()) < 5 / math.sqrt(N)
    assert abs(z.var() - 1) < 5 * math.sqrt(2 / N)
    assert abs((z < 1).mean() - 0.841345) < 5 * math.sqrt(0.1335 / N)


def test_poisson():
    rng = seeded(4)
    counts = np.bincount([poisson(1.0, rng) for _ in range(N)], minlength=4)
    for n in range(4):
        p = math.exp(-1) / math.factorial(n)
        assert abs(counts[n] - N * p) < 5.5 * math.sqrt(N * p * (1 - p))


@pytest.mark.parametrize("p", [[0.5, 0.0, 0.5], [0.0, 0.0, 1.0], [0.2, 0.3, 0.5, 0.0]])
def test_draw(p):
    rng, p = seeded(5), np.array(p)
    counts = np.bincount([draw(p, rng) for _ in range(N)], minlength=len(p))
    assert (counts[p == 0] == 0).all()
    assert (abs(counts - N * p) <= 5.5 * np.sqrt(N * p * (1 - p))).all()


def test_draw_gives_the_rounding_error_to_a_possible_index():
    rng = seeded(0)
    assert {draw(np.array([0.0, 1e-300, 0.0]), rng) for _ in range(20)} == {1}


def test_pick():
    rng, items = seeded(6), np.arange(6)
    counts = np.zeros(6)
    for _ in range(N):
        pick(2, items, rng)
        counts[items[:2]] += 1
    assert sorted(items) == list(range(6))
    assert (abs(counts - N / 3) < 5.5 * math.sqrt(N * 2 / 9)).all()
