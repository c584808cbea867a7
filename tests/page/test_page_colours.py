"""The colours of the page: visible on the paper, and distinct to all eyes.

Colour-blind eyes as in G. Machado, M. Oliveira, L. Fernandes. A physiologically-based model for
simulation of color vision deficiency. IEEE TVCG 2009, at full severity; distances in OKLab.
"""

import re

import numpy as np
import pytest

from onearm import page

EYES = {
    "normal": np.eye(3),
    "no red": [
        [0.152286, 1.052583, -0.204868],
        [0.114503, 0.786281, 0.099216],
        [-0.003882, -0.048116, 1.051998],
    ],
    "no green": [
        [0.367322, 0.860646, -0.227968],
        [0.280085, 0.672501, 0.047413],
        [-0.011820, 0.042940, 0.968881],
    ],
    "no blue": [
        [1.255528, -0.076749, -0.178779],
        [-0.078411, 0.930809, 0.147602],
        [0.004733, 0.691367, 0.303900],
    ],
}
LMS = [
    [0.4122214708, 0.5363325363, 0.0514459929],
    [0.2119034982, 0.6806995451, 0.1073969566],
    [0.0883024619, 0.2817188376, 0.6299787005],
]
LAB = [
    [0.2104542553, 0.7936177850, -0.0040720468],
    [1.9779984951, -2.4285922050, 0.4505937099],
    [0.0259040371, 0.7827717662, -0.8086757660],
]


def colours(scheme):
    """Return the variables of a scheme as linear RGB."""
    css = (page.HERE / "page.css").read_text()
    blocks = re.findall(r":root[^{]*\{([^}]*)\}", css)
    colours = re.findall(r"--(\w+): #(\w{6});", blocks[("light", "dark").index(scheme)])
    return {name: linear(np.frombuffer(bytes.fromhex(x), np.uint8) / 255) for name, x in colours}


def linear(c):
    return np.where(c <= 0.04045, c / 12.92, ((c + 0.055) / 1.055) ** 2.4)


def contrast(a, b):
    light = sorted(np.dot([0.2126, 0.7152, 0.0722], c) + 0.05 for c in (a, b))
    return light[1] / light[0]


def oklab(rgb):
    return np.cbrt(np.clip(rgb, 0, 1) @ np.transpose(LMS)) @ np.transpose(LAB)


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_contrast(scheme):
    of = colours(scheme)
    for ground in ("paper", "raised", "soft"):
        assert all(contrast(of[text], of[ground]) >= 4.5 for text in ("ink", "quiet", "accent"))
    assert all(contrast(of[f"c{i}"], of["paper"]) >= 3 for i in range(12))


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("eyes", EYES)
def test_curves_are_distinct(scheme, eyes):
    of = colours(scheme)
    lab = oklab(np.array([of[f"c{i}"] for i in range(12)]) @ np.transpose(EYES[eyes]))
    apart = np.linalg.norm(lab[:, None] - lab, axis=2)[np.triu_indices(12, 1)]
    assert apart.min() > (0.17 if eyes == "normal" else 0.085)
