"""Sets of floats that are hard to add up."""

import math
import struct

# bits of the exponent and of the fraction
FIELDS = {4: (8, 23), 8: (11, 52)}


def from_bits(bits, width):
    """Returns the float that a bit pattern stands for."""
    code = ("=I", "=f") if width == 4 else ("=Q", "=d")
    return struct.unpack(code[1], struct.pack(code[0], bits))[0]


def narrow(number, width):
    """Returns the number as a float of that width, at most the largest one."""
    if width == 8:
        return number
    largest = from_bits(0x7F7FFFFF, 4)
    return struct.unpack("=f", struct.pack(
        "=f", max(-largest, min(largest, number))))[0]


def draw(rng, kind, count, width):
    """Draws a set of about count floats of a kind of KINDS."""
    exponent_bits, fraction_bits = FIELDS[width]
    bias = (1 << exponent_bits - 1) - 1
    top = (1 << exponent_bits) - 2

    def number(low, high):
        return from_bits(rng.getrandbits(1) << exponent_bits + fraction_bits
                         | rng.randint(low, high) << fraction_bits
                         | rng.getrandbits(fraction_bits), width)

    if kind == "bits":
        return [from_bits(rng.getrandbits(8 * width), width)
                for _ in range(count)]
    if kind == "finite":
        return [number(0, top) for _ in range(count)]
    if kind == "narrow":
        return [number(bias - 5, bias + 5) for _ in range(count)]
    if kind == "half range":  # its squares do not overflow
        return [number(bias // 2 + 20, bias * 3 // 2 - 20)
                for _ in range(count)]
    if kind == "subnormal":
        return [number(0, 2) for _ in range(count)]
    if kind == "small":  # its squares vanish
        return [number(0, bias // 2) for _ in range(count)]
    if kind == "huge":
        return [number(top - 2, top) for _ in range(count)]
    if kind == "near overflow":
        half = [abs(number(top - 1, top)) for _ in range(count // 2 + 1)]
        numbers = half + [-x for x in half[1:]]
        rng.shuffle(numbers)
        return numbers
    if kind == "cancelling":
        half = [number(0, top) for _ in range(count // 2)]
        numbers = half + [-x for x in half] + [number(0, bias)]
        rng.shuffle(numbers)
        return numbers
    if kind == "ties":
        unit = 2.0 ** -fraction_bits
        return [1.0] + [rng.choice([unit / 2, -unit / 2, unit / 4, -unit / 4])
                        for _ in range(count)]
    if kind == "log-normal":
        return [narrow(rng.lognormvariate(0, 8), width) for _ in range(count)]
    if kind == "offset":
        offset = rng.choice([1e3, 1e6, 1e9, 1e15])
        return [narrow(offset + rng.random(), width) for _ in range(count)]
    if kind == "equal":
        return [number(0, top)] * count
    if kind == "decimals":
        return [narrow(rng.randint(-9999, 9999) / 100, width)
                for _ in range(count)]
    if kind == "zeros":
        return [rng.choice([-0.0, -0.0, 0.0]) for _ in range(count)]
    if kind == "negative zeros":
        return [-0.0] * count
    if kind == "infinities":
        return [rng.choice([math.inf, 1.0, -1.0, 0.0]) for _ in range(count)]
    numbers = [number(bias - 5, bias + 5) for _ in range(count)]
    numbers[rng.randrange(count)] = rng.choice([math.inf, -math.inf, math.nan])
    return numbers  # "one special"


KINDS = ["bits", "finite", "narrow", "half range", "subnormal", "small", "huge",
         "near overflow", "cancelling", "ties", "log-normal", "offset", "equal",
         "decimals", "zeros", "negative zeros", "infinities", "one special"]


def literal(number):
    """Returns the number as PostgreSQL reads it."""
    if math.isnan(number):
        return "NaN"
    if math.isinf(number):
        return "Infinity" if number > 0 else "-Infinity"
    return repr(number)
