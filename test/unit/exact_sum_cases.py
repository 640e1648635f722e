#!/usr/bin/env python3
"""Writes data sets and their correctly rounded sums, for test_exact_sum.

The sums are computed in rational arithmetic (Python's fractions), so they are
independent of the code under test.  Usage: exact_sum_cases.py SEED SETS

Output, in the machine's byte order, for each data set:
    uint32  width of a number in bytes: 4 or 8
    uint32  number of numbers
    uint32  1 if the sum overflows, else 0
    uint64  bits of the rounded sum (of a float in the low half)
    then the numbers' bits, one uint64 each
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


def expected_sum(numbers, width):
    """Returns (bits, overflow) of the sum as IEEE 754 and exactness demand."""
    if any(math.isnan(x) for x in numbers):
        return bits_of(math.nan, width), False
    infinities = {x for x in numbers if math.isinf(x)}
    if len(infinities) == 2:
        return bits_of(math.nan, width), False
    if infinities:
        return bits_of(infinities.pop(), width), False
    exact = sum((Fraction(x) for x in numbers), Fraction(0))
    if exact == 0 and numbers and all(
            x == 0 and math.copysign(1, x) < 0 for x in numbers):
        return bits_of(-0.0, width), False
    value, overflow = round_to_format(exact, width)
    return bits_of(value, width), overflow


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
         "all kinds"]


def main():
    """Writes the data sets to standard output."""
    rng = random.Random(int(sys.argv[1]))
    for number in range(int(sys.argv[2])):
        width = 8 if number % 3 else 4
        kind = KINDS[number % len(KINDS)]
        count = rng.choice([1, 2, 3, 5, 17, 100, 1023, 1024, 1025, 3000])
        numbers = draw_numbers(rng, kind, count, width)
        bits, overflow = expected_sum(numbers, width)
        sys.stdout.buffer.write(
            struct.pack("=IIIQ", width, len(numbers), overflow, bits))
        for x in numbers:
            sys.stdout.buffer.write(struct.pack("=Q", bits_of(x, width)))


if __name__ == "__main__":
    main()
