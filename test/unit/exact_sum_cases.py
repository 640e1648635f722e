#!/usr/bin/env python3
"""Writes data sets and what is correctly rounded of them, for test_exact_sum.

The results are computed in rational arithmetic (Python's fractions), so they
are independent of the code under test.  Usage: exact_sum_cases.py SEED SETS

Output, in the machine's byte order, for each data set:
    uint32  width of a number in bytes: 4 or 8
    uint32  number of numbers
    uint32  set of results that overflow, one bit each
    uint64  bits of each result: the sum (of a float in the low half) and, as
            doubles, the average, var_pop, var_samp, stddev_pop, stddev_samp
    then the numbers' bits, one uint64 each
The sample variance and deviation of one number are written as 0.
"""

import math
import random
import struct
import sys
from fractions import Fraction

# precision in bits, exponent of the smallest subnormal, largest finite number
FORMATS = {4: (24, -149, float.fromhex("0x1.fffffep127")),
           8: (53, -1074, sys.float_info.max)}


def bits_of(value, width):
    """Returns the bit pattern of a number in the format of that width."""
    if width == 8:
        return struct.unpack("=Q", struct.pack("=d", value))[0]
    if math.isnan(value):
        return 0x7FC00000
    return struct.unpack("=I", struct.pack("=f", value))[0]


def number_of(bits, width):
    """Returns the number that a bit pattern stands for."""
    if width == 8:
        return struct.unpack("=d", struct.pack("=Q", bits))[0]
    return struct.unpack("=f", struct.pack("=I", bits))[0]


def round_to_format(exact, width):
    """Rounds a fraction half to even; returns (number, overflow)."""
    precision, lowest, largest = FORMATS[width]
    if exact == 0:
        return 0.0, False
    magnitude = abs(exact)
    exponent = (magnitude.numerator.bit_length()
                - magnitude.denominator.bit_length())
    if magnitude < Fraction(2) ** exponent:
        exponent -= 1
    unit = max(exponent - precision + 1, lowest)
    scaled = magnitude / Fraction(2) ** unit
    significand = round(scaled)  # half to even, exactly
    rounded = Fraction(significand) * Fraction(2) ** unit
    sign = -1 if exact < 0 else 1
    if rounded > Fraction(largest):
        return sign * math.inf, True
    return sign * float(rounded), False


def exact_totals(numbers):
    """Returns the sum of the numbers and of their squares, as fractions."""
    scaled = []
    for x in numbers:
        numerator, denominator = x.as_integer_ratio()
        scaled.append(numerator << (1075 - denominator.bit_length()))
    return (Fraction(sum(scaled), 2 ** 1074),
            Fraction(sum(x * x for x in scaled), 2 ** 2148))


def expected_sum(numbers, width):
    """Returns (bits, overflow) of the sum as IEEE 754 and exactness demand."""
    if any(math.isnan(x) for x in numbers):
        return bits_of(math.nan, width), False
    infinities = {x for x in numbers if math.isinf(x)}
    if len(infinities) == 2:
        return bits_of(math.nan, width), False
    if infinities:
        return bits_of(infinities.pop(), width), False
    exact = exact_totals(numbers)[0]
    if exact == 0 and numbers and all(
            x == 0 and math.copysign(1, x) < 0 for x in numbers):
        return bits_of(-0.0, width), False
    value, overflow = round_to_format(exact, width)
    return bits_of(value, width), overflow


def root_of(square):
    """Returns a fraction that is rounded as the square root would be."""
    if square == 0:
        return square
    numerator, denominator = square.numerator, square.denominator
    bits = denominator.bit_length() - numerator.bit_length() + 240
    shift = max(0, bits // 2)
    scaled = numerator << 2 * shift
    root = math.isqrt(scaled // denominator)
    inexact = root * root * denominator != scaled
    return Fraction(2 * root + inexact, 2 << shift)


def expected_results(numbers, width):
    """Returns the (bits, overflow) of all results, as the output has them."""
    results = [expected_sum(numbers, width)]
    nan = (bits_of(math.nan, 8), False)
    if not all(math.isfinite(x) for x in numbers):
        average = number_of(results[0][0], width)
        return results + [(bits_of(average, 8), False)] + [nan] * 4
    count = len(numbers)
    total, squares = exact_totals(numbers)
    fractions = []
    for divisor in (count, count - 1):
        fractions.append((count * squares - total * total)
                         / (count * divisor) if divisor else Fraction(0))
    fractions += [root_of(fractions[0]), root_of(fractions[1])]
    if total == 0 and results[0][0] != 0:
        results.append((bits_of(-0.0, 8), False))
    else:
        average, overflow = round_to_format(total / count, 8)
        results.append((bits_of(average, 8), overflow))
    for fraction in fractions:
        value, overflow = round_to_format(fraction, 8)
        results.append((bits_of(value, 8), overflow))
    return results


def draw_numbers(rng, kind, count, width):
    """Draws the numbers of one data set of the given kind."""
    exponent_bits = 11 if width == 8 else 8
    mantissa_bits = 52 if width == 8 else 23
    bias = (1 << (exponent_bits - 1)) - 1
    top = (1 << exponent_bits) - 2

    def from_fields(exponent, mantissa, sign):
        bits = (sign << (exponent_bits + mantissa_bits)
                | exponent << mantissa_bits | mantissa)
        return number_of(bits, width)

    def any_number(low, high):
        return from_fields(rng.randint(low, high),
                           rng.getrandbits(mantissa_bits), rng.getrandbits(1))

    def narrow():
        return any_number(bias - 5, bias + 5)

    if kind == "bits":
        return [number_of(rng.getrandbits(8 * width), width)
                for _ in range(count)]
    if kind == "finite":
        return [any_number(0, top) for _ in range(count)]
    if kind == "narrow":
        return [narrow() for _ in range(count)]
    if kind == "wide":
        return [any_number(max(0, bias - 60), bias + 60)
                for _ in range(count)]
    if kind == "subnormal":
        return [any_number(0, 2) for _ in range(count)]
    if kind == "huge":
        return [any_number(top - 2, top) for _ in range(count)]
    if kind == "cancel":
        half = [any_number(0, top) for _ in range(count // 2)]
        numbers = half + [-x for x in half] + [any_number(0, bias)]
        rng.shuffle(numbers)
        return numbers
    if kind == "ties":
        # one and halves of its last place, to hit the middle of the rounding
        unit = 2.0 ** -mantissa_bits
        return [1.0] + [rng.choice([unit / 2, -unit / 2, unit / 4, -unit / 4])
                        for _ in range(count)]
    if kind in ("almost tied averages", "almost tied deviations"):
        # in the middle of two doubles but for something tiny, which may be 0
        tiny = math.ldexp(rng.choice([-1, 1]),
                          -rng.choice([0, 9, 40, 70, 100, 200, 254, 255, 256,
                                       320, 400]))
        tiny = number_of(bits_of(tiny, width), width) if tiny < 1 else 0.0
        unit = 2.0 ** -mantissa_bits
        if kind == "almost tied averages":
            return [3.0, 3.0, 3 * unit, tiny, 0.0, 0.0]
        # 9 numbers of the sample variance (25 g^2 + tiny^2) / 4
        g = float(rng.randint((1 << 52) // 5 + 1, (1 << 52) // 3 - 1) * 2 + 1)
        return ([3 * g, -3 * g, 4 * g, -4 * g, tiny, -tiny, 0.0, 0.0, 0.0]
                if width == 8 else [3.0, -4.0, tiny])
    if kind == "constant":
        return [narrow()] * count
    if kind == "almost constant":
        # variances that are as nothing beside the squares
        x = narrow()
        unit = abs(x) * 2.0 ** -mantissa_bits
        return [number_of(bits_of(x + rng.choice([0, 0, unit]), width), width)
                for _ in range(count)]
    if kind == "tiny variance":
        # around the smallest normal double and below it
        low = max(0, bias - 511 - rng.randint(0, 30))
        return [any_number(low, low + 3) for _ in range(count)]
    if kind == "huge variance":
        low = min(top - 2, bias + 508 + rng.randint(0, 3))
        return [any_number(low, low + 2) for _ in range(count)]
    if kind == "edges":
        edge = rng.choice([from_fields(0, 1, 0), from_fields(1, 0, 0),
                           from_fields(top, (1 << mantissa_bits) - 1, 0)])
        return [rng.choice([edge, -edge, 0.0]) for _ in range(count)]
    if kind == "lognormal":
        return [number_of(bits_of(max(min(rng.lognormvariate(0, 8), 1e38),
                                      -1e38), width), width)
                for _ in range(count)]
    if kind == "zeros":
        return [rng.choice([-0.0, -0.0, 0.0]) for _ in range(count)]
    if kind == "negative zeros":
        return [-0.0] * count
    if kind == "special":
        return [rng.choice([math.inf, 1.0, -1.0, 0.0]) for _ in range(count)]
    numbers = [narrow() for _ in range(count)]  # "all kinds"
    numbers[rng.randrange(count)] = rng.choice([math.inf, -math.inf, math.nan])
    return numbers


KINDS = ["bits", "finite", "narrow", "wide", "subnormal", "huge", "cancel",
         "ties", "lognormal", "zeros", "negative zeros", "special",
         "all kinds", "constant", "almost constant", "tiny variance",
         "huge variance", "edges", "almost tied averages",
         "almost tied deviations"]


def main():
    """Writes the data sets to standard output."""
    rng = random.Random(int(sys.argv[1]))
    for number in range(int(sys.argv[2])):
        width = 8 if number // len(KINDS) % 3 else 4
        kind = KINDS[number % len(KINDS)]
        count = rng.choice([1, 2, 3, 5, 17, 100, 1023, 1024, 1025, 3000])
        numbers = draw_numbers(rng, kind, count, width)
        results = expected_results(numbers, width)
        overflows = sum(1 << i for i, result in enumerate(results)
                        if result[1])
        sys.stdout.buffer.write(struct.pack(
            "=III6Q", width, len(numbers), overflows,
            *(result[0] for result in results)))
        for x in numbers:
            sys.stdout.buffer.write(struct.pack("=Q", bits_of(x, width)))


if __name__ == "__main__":
    main()
