"""Minimax polynomials for the vector functions in Sources/ApusKernels/VectorMath.swift.

Each fit minimises the largest weighted error over Chebyshev points by Lawson's iteration (least squares whose weights
are multiplied by the errors until those level out). Targets are evaluated with mpmath at 40 digits, so cancellation
close to zero does no harm. Prints Swift literals rounded to Float, lowest power first, and the error that remains
after rounding, in units of 2^-24 (half an ULP of a number just above one half).
"""

import mpmath
import numpy

mpmath.mp.dps = 40


def fit(name, target, weight, low, high, degree, points=600):
    """p(x) = target(x), with the error multiplied by weight(x)."""
    nodes = (low + high) / 2 + (high - low) / 2 * numpy.cos(numpy.pi * (numpy.arange(points) + 0.5) / points)
    values = numpy.array([float(target(mpmath.mpf(x))) for x in nodes])
    weights = numpy.array([float(weight(mpmath.mpf(x))) for x in nodes])
    powers = numpy.stack([nodes**k for k in range(degree + 1)], axis=1)
    lawson = numpy.ones(points)
    best, smallest = None, numpy.inf
    for _ in range(400):
        scale = weights * numpy.sqrt(lawson)
        coefficients, *_ = numpy.linalg.lstsq(powers * scale[:, None], values * scale, rcond=None)
        error = numpy.abs(powers @ coefficients - values) * weights
        if error.max() < smallest:
            best, smallest = coefficients, error.max()
        lawson *= error / error.max() + 1e-6
        lawson /= lawson.mean()
    rounded = [float(numpy.float32(c)) for c in best]
    final = numpy.abs(sum(c * nodes**k for k, c in enumerate(rounded)) - values) * weights
    print(f"{name}: {final.max() * 2**24:.3f}")
    print("  " + ", ".join(repr(numpy.float32(c)).removeprefix("np.float32(").rstrip(")") for c in rounded))
    return rounded


def expansion(function, at_zero):
    """`function`, with its limit where it divides by zero."""
    return lambda x: mpmath.mpf(at_zero) if abs(x) < mpmath.mpf("1e-15") else function(x)


def over_square_root(function, x):
    """function(√x) / √x, for odd functions."""
    return function(mpmath.sqrt(x)) / mpmath.sqrt(x)


if __name__ == "__main__":
    half = float(mpmath.log(2) / 2) * 1.0001
    root = float(mpmath.sqrt(2))

    # exp(r) = 1 + r + r² p(r), its error relative to the result.
    fit("exp", expansion(lambda r: (mpmath.exp(r) - 1 - r) / r**2, 0.5), lambda r: r**2 / mpmath.exp(r), -half, half, 4)

    # tanh(x) = x - x³ / q(x²) up to 1, 1 - 2 / (2^n (1 + f p(f)) + 1) beyond, with n + f = 2x / log 2.
    def tanh_divisor(t):
        x = mpmath.sqrt(t)
        return x**3 / (x - mpmath.tanh(x))

    fit("tanh", expansion(tanh_divisor, 3),
        lambda t: t / tanh_divisor(t) ** 2 / over_square_root(mpmath.tanh, t), 1e-9, 1, 3)
    fit("exp2", expansion(lambda f: (2**f - 1) / f, mpmath.log(2)), lambda f: abs(f) / 2**f, -0.5003, 0.5003, 5)

    # log(1 + f) = f - f²/2 + f³ p(f).
    fit("log", expansion(lambda f: (mpmath.log1p(f) - f + f**2 / 2) / f**3, mpmath.mpf(1) / 3),
        lambda f: abs(f**3 / mpmath.log1p(f)), root / 2 - 1, root - 1, 8)

    # log(1 + u) = 2 s + s³ p(s²) with s = u / (2 + u) up to a third.
    fit("log1p", expansion(lambda t: 2 * (over_square_root(mpmath.atanh, t) - 1) / t, mpmath.mpf(2) / 3),
        lambda t: t / 2, 0, 1 / 9, 4)

    # erf(x) = x + x p(x²) up to 1, 1 - exp(q(x)) beyond.
    fit("erf", expansion(lambda t: over_square_root(mpmath.erf, t) - 1, 2 / mpmath.sqrt(mpmath.pi) - 1),
        lambda t: 1 / over_square_root(mpmath.erf, t), 0, 1, 6)
    fit("erfc", lambda x: mpmath.log(mpmath.erfc(x)), lambda x: mpmath.erfc(x) / mpmath.erf(x), 0.9, 4.1, 8)

    # sin(r) = r + r³ p(r²) and cos(r) = 1 - r²/2 + r⁴ q(r²) up to an eighth of a turn.
    eighth = float(mpmath.pi / 4) * 1.0001
    fit("sin", expansion(lambda t: (over_square_root(mpmath.sin, t) - 1) / t, -mpmath.mpf(1) / 6),
        lambda t: t / over_square_root(mpmath.sin, t), 0, eighth**2, 2)
    fit("cos", expansion(lambda t: (mpmath.cos(mpmath.sqrt(t)) - 1 + t / 2) / t**2, mpmath.mpf(1) / 24),
        lambda t: t**2 / mpmath.cos(mpmath.sqrt(t)), 0, eighth**2, 2)

    # atan(t) = t + t³ p(t²) up to 1.
    fit("atan", expansion(lambda s: (over_square_root(mpmath.atan, s) - 1) / s, -mpmath.mpf(1) / 3),
        lambda s: s / over_square_root(mpmath.atan, s), 0, 1, 8)
