// Reed-Solomon check bytes over GF(256), as QR codes use them: polynomial 0x11d, generator 2 (ISO/IEC 18004, 7.5).
const FIELD_POLYNOMIAL = 0x11d;

const POWERS = new Uint8Array(255);
const LOGARITHMS = new Uint8Array(256);
for (let exponent = 0, value = 1; exponent < 255; exponent++) {
  POWERS[exponent] = value;
  LOGARITHMS[value] = exponent;
  value <<= 1;
  if (value > 0xff) value ^= FIELD_POLYNOMIAL;
}

export function multiplyInField(left: number, right: number): number {
  if (left === 0 || right === 0) return 0;
  return powerOfTwo((LOGARITHMS[left] ?? 0) + (LOGARITHMS[right] ?? 0));
}

/** 2 to the given power, in the field. */
export function powerOfTwo(exponent: number): number {
  return POWERS[exponent % 255] ?? 0;
}

/** The remainder of the data, shifted by `count` bytes, divided by (x - 1)(x - 2)(x - 4)… */
export function checkBytes(data: Uint8Array, count: number): Uint8Array {
  const generator = generatorOf(count);
  const remainder = new Uint8Array(count);
  for (const byte of data) {
    const factor = byte ^ (remainder[0] ?? 0);
    remainder.copyWithin(0, 1);
    remainder[count - 1] = 0;
    for (const [index, coefficient] of generator.entries()) {
      remainder[index] = (remainder[index] ?? 0) ^ multiplyInField(coefficient, factor);
    }
  }
  return remainder;
}

/** Coefficients from the second highest power down; the highest one is always 1. */
function generatorOf(degree: number): Uint8Array {
  let polynomial = Uint8Array.of(1);
  for (let root = 0; root < degree; root++) {
    const next = new Uint8Array(polynomial.length + 1);
    for (const [index, coefficient] of polynomial.entries()) {
      next[index] = (next[index] ?? 0) ^ coefficient;
      next[index + 1] = multiplyInField(coefficient, powerOfTwo(root));
    }
    polynomial = next;
  }
  return polynomial.slice(1);
}
