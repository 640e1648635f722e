"""Aggregates of floats, and of pairs of them, in rational arithmetic, rounded once.

The reference for gpu_ aggregates over floats, independent of their code.  Every
function takes a list of Python floats (NULLs left out) and returns a float, None
for SQL's NULL, or OVERFLOW where the rounded result of finite numbers is infinite.
"""

import math
import operator
import struct
from fractions import Fraction

OVERFLOW = "overflow"

# precision in bits, exponent of the smallest subnormal, largest finite number
FORMATS = {4: (24, -149, Fraction(float.fromhex("0x1.fffffep127"))),
           8: (53, -1074, Fraction(float.fromhex("0x1.fffffffffffffp1023")))}


def round_fraction(exact, width=8):
    """Rounds a fraction half to even to a float of so many bytes."""
    if exact == 0:
        return 0.0
    precision, lowest, largest = FORMATS[width]
    magnitude = abs(exact)
    exponent = (magnitude.numerator.bit_length()
                - magnitude.denominator.bit_length())
    if magnitude < Fraction(2) ** exponent:
        exponent -= 1
    unit = Fraction(2) ** max(exponent - precision + 1, lowest)
    rounded = round(magnitude / unit) * unit
    if rounded > largest:
        return OVERFLOW
    return math.copysign(float(rounded), 1 if exact > 0 else -1)


def round_root(exact):
    """Rounds the square root of a fraction half to even to a float."""
    if exact == 0:
        return 0.0
    # so many fraction bits that the root has at least 64 bits
    bits = max(0, 64 + (exact.denominator.bit_length()
                        - exact.numerator.bit_length()) // 2 + 1)
    scaled, rest = divmod(exact.numerator << 2 * bits, exact.denominator)
    root = math.isqrt(scaled)
    inexact = rest != 0 or root * root != scaled
    # a half is as good as the true rest: rounding looks only at its presence
    return round_fraction(Fraction(2 * root + inexact, 2 ** (bits + 1)))


def scale(number):
    """Returns a finite float as an integer, in units of 2**-1074."""
    numerator, denominator = number.as_integer_ratio()
    return numerator << 1075 - denominator.bit_length()


def special_sum(numbers):
    """Returns the sum if NaN, infinities or the lack of all but -0 decide it."""
    infinities = {x for x in numbers if math.isinf(x)}
    if any(math.isnan(x) for x in numbers) or len(infinities) == 2:
        return math.nan
    if infinities:
        return infinities.pop()
    if all(x == 0 and math.copysign(1, x) < 0 for x in numbers):
        return -0.0
    return None


def exact_sum(numbers, width=8):
    """Returns gpu_sum; width is that of the column."""
    if not numbers:
        return None
    special = special_sum(numbers)
    if special is not None:
        return special
    return round_fraction(Fraction(sum(map(scale, numbers)), 2 ** 1074), width)


def exact_avg(numbers):
    """Returns gpu_avg, which is a double for both widths."""
    if not numbers:
        return None
    special = special_sum(numbers)
    if special is not None:
        return special + 0.0  # the built-in adds to 0, so -0 becomes 0
    return round_fraction(Fraction(sum(map(scale, numbers)),
                                   len(numbers) << 1074))


def exact_variance(numbers, less, root):
    """Returns a variance over len(numbers) - less, or its square root."""
    count = len(numbers)
    if count <= less:
        return None
    if not all(map(math.isfinite, numbers)):
        return math.nan
    scaled = [scale(x) for x in numbers]
    total = sum(scaled)
    variance = Fraction(count * sum(x * x for x in scaled) - total * total,
                        count * (count - less) << 2 * 1074)
    return round_root(variance) if root else round_fraction(variance)


def exact_result(function, numbers, width):
    """Returns what gpu_<function> over a column of that width returns."""
    if function == "sum":
        return exact_sum(numbers, width)
    if function == "avg":
        return exact_avg(numbers)
    less = 0 if function.endswith("_pop") else 1
    return exact_variance(numbers, less, function.startswith("stddev"))


def moment(first, second):
    """Returns N times the sum of products less the product of sums, an integer."""
    return (len(first) * sum(map(operator.mul, first, second))
            - sum(first) * sum(second))


def exact_pairs(function, pairs):
    """Returns what gpu_<function> over pairs (y, x) returns; SQL's NULLs are left out."""
    ys, xs = [y for y, _ in pairs], [x for _, x in pairs]
    if function == "regr_count":
        return float(len(pairs))
    if not pairs or (function == "covar_samp" and len(pairs) == 1):
        return None
    if function.startswith("regr_avg"):
        return exact_avg(xs if function == "regr_avgx" else ys)
    finite_x, finite_y = (all(map(math.isfinite, z)) for z in (xs, ys))
    x = [scale(a) for a in xs] if finite_x else None
    y = [scale(a) for a in ys] if finite_y else None
    xx = moment(x, x) if finite_x else math.nan
    yy = moment(y, y) if finite_y else math.nan
    if xx == 0 and function in ("corr", "regr_slope", "regr_intercept", "regr_r2"):
        return None
    if yy == 0 and function in ("corr", "regr_r2"):
        return None if function == "corr" else 1.0
    if ((not finite_x and function != "regr_syy")
            or (not finite_y and function != "regr_sxx")):
        return math.nan
    count = len(pairs)
    if function == "regr_sxx":
        return round_fraction(Fraction(xx, count << 2 * 1074))
    if function == "regr_syy":
        return round_fraction(Fraction(yy, count << 2 * 1074))
    xy = moment(x, y)
    if function == "corr":
        return (-1 if xy < 0 else 1) * round_root(Fraction(xy * xy, xx * yy))
    if function == "regr_r2":
        return round_fraction(Fraction(xy * xy, xx * yy))
    if function == "regr_slope":
        return round_fraction(Fraction(xy, xx))
    if function == "regr_intercept":
        above = (sum(y) * sum(map(operator.mul, x, x))
                 - sum(x) * sum(map(operator.mul, x, y)))
        return round_fraction(Fraction(above, xx << 1074))
    below = {"covar_pop": count * count, "covar_samp": count * (count - 1),
             "regr_sxy": count}[function]
    return round_fraction(Fraction(xy, below << 2 * 1074))


def same_float(text, expected, width=8):
    """Tells whether a result of psql, None for NULL, is that very float."""
    if text is None or expected is None or expected == OVERFLOW:
        return text is None and expected is None
    value = float(text)
    if math.isnan(value) or math.isnan(expected):
        return math.isnan(value) and math.isnan(expected)
    code = "=f" if width == 4 else "=d"
    return struct.pack(code, value) == struct.pack(code, expected)
