"""Sums, averages and variances of floats in rational arithmetic, rounded once.

The reference for gpu_ aggregates over floats, independent of their code.  Every
function takes a list of Python floats (NULLs left out) and returns a float, None
for SQL's NULL, or OVERFLOW where the rounded result of finite numbers is infinite.
"""

import math
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


def same_float(text, expected, width=8):
    """Tells whether a result of psql, None for NULL, is that very float."""
    if text is None or expected is None or expected == OVERFLOW:
        return text is None and expected is None
    value = float(text)
    if math.isnan(value) or math.isnan(expected):
        return math.isnan(value) and math.isnan(expected)
    code = "=f" if width == 4 else "=d"
    return struct.pack(code, value) == struct.pack(code, expected)
