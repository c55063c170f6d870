/** Numbers as decimals: the digits of the shortest text that is the number, as JavaScript and Python write it. */
import type { Step } from "./values.js";

/** A number that is not negative: its digits before and after the point, without zeros at the end. */
export interface Decimal {
  readonly whole: string;
  readonly fraction: string;
}

/** The digits of a number's absolute value, and the power of ten of the first. */
export function digitsOf(value: number): { readonly digits: string; readonly exponent: number } {
  const [mantissa, exponent] = Math.abs(value).toExponential().split("e") as [string, string];
  return { digits: mantissa.replace(".", ""), exponent: Number(exponent) };
}

/** Of a number's absolute value. */
export function decimalOf(value: number): Decimal {
  if (value === 0) return { whole: "0", fraction: "" };
  const { digits, exponent } = digitsOf(value);
  if (exponent < 0) return { whole: "0", fraction: "0".repeat(-exponent - 1) + digits };
  return { whole: digits.slice(0, exponent + 1).padEnd(exponent + 1, "0"), fraction: digits.slice(exponent + 1) };
}

const word = new DataView(new ArrayBuffer(8));

/** The next number in double precision, above or below. */
export function next(value: number, up: boolean): number {
  if (!Number.isFinite(value)) return value;
  if (value === 0) return up ? Number.MIN_VALUE : -Number.MIN_VALUE;
  word.setFloat64(0, value);
  word.setBigInt64(0, word.getBigInt64(0) + (value > 0 === up ? 1n : -1n));
  return word.getFloat64(0);
}

export function stepOf(value: number): Step {
  const { whole, fraction } = decimalOf(value);
  return reduced({ units: BigInt(whole + fraction), places: fraction.length });
}

function reduced({ units, places }: Step): Step {
  while (places > 0 && units % 10n === 0n) [units, places] = [units / 10n, places - 1];
  return { units, places };
}

const gcd = (a: bigint, b: bigint): bigint => {
  while (b !== 0n) [a, b] = [b, a % b];
  return a;
};

/** What is a multiple of both. */
export function common(a: Step, b: Step): Step {
  const places = Math.max(a.places, b.places);
  const [x, y] = [scaled(a, places), scaled(b, places)];
  return reduced({ units: (x / gcd(x, y)) * y, places });
}

const scaled = ({ units, places }: Step, to: number): bigint => units * 10n ** BigInt(to - places);

export function isMultiple(value: number, { units, places }: Step): boolean {
  const { whole, fraction } = decimalOf(value);
  if (fraction.length > places) return false;
  return BigInt(whole + fraction.padEnd(places, "0")) % units === 0n;
}

/** The least multiple that is not below a number, or the greatest that is not above it; the number is not negative. */
export function nearestMultiple(value: number, { units, places }: Step, up: boolean): Decimal {
  const { whole, fraction } = decimalOf(value);
  const length = Math.max(places, fraction.length);
  const [wanted, unit] = [BigInt(whole + fraction.padEnd(length, "0")), scaled({ units, places }, length)];
  const count = (wanted + (up ? unit - 1n : 0n)) / unit;
  const digits = (count * unit).toString().padStart(length + 1, "0");
  const point = digits.length - length;
  return { whole: digits.slice(0, point), fraction: digits.slice(point).replace(/0+$/, "") };
}

/** Whether a multiple is between two numbers that are not negative. */
export function hasMultiple(min: number, max: number, step: Step): boolean {
  if (min === 0 || max === Infinity) return true;
  const [first, last] = [nearestMultiple(min, step, true), nearestMultiple(max, step, false)];
  const length = Math.max(first.fraction.length, last.fraction.length);
  const digits = ({ whole, fraction }: Decimal): bigint => BigInt(whole + fraction.padEnd(length, "0"));
  return digits(first) <= digits(last);
}

/** Whether each multiple of the first is one of the second. */
export function divides(a: Step, b: Step): boolean {
  const places = Math.max(a.places, b.places);
  return scaled(a, places) % scaled(b, places) === 0n;
}
