/** Numbers in ranges: JavaScript compares, the grammar must agree, for the texts that JavaScript and Python write and for others. */
import { expect, test } from "@jest/globals";
import { schemaRules } from "../../runtime/grammars/values/schema.js";
import { matcher, type Matcher } from "./matcher.js";
import { pick, type Random } from "./randomSchemas.js";
import { randomIntegers } from "./walk.js";

const random = randomIntegers(11);

/** As Python's `repr` writes a number that is no integer there. */
function pythonNumber(value: number): string {
  const [mantissa, power] = value.toExponential().split("e") as [string, string];
  const exponent = Number(power);
  if (exponent >= -4 && exponent < 16) return Number.isInteger(value) ? `${value}.0` : decimal(value);
  return `${mantissa}e${exponent < 0 ? "-" : "+"}${String(Math.abs(exponent)).padStart(2, "0")}`;
}

/** JavaScript begins with exponents later. */
const decimal = (value: number): string =>
  String(value).includes("e") ? value.toFixed(20).replace(/0+$/, "") : String(value);

const MAGNITUDES = [
  1e-320, 1e-17, 1e-9, 1e-6, 1e-5, 1e-4, 0.001, 0.1, 1, 10, 1e3, 1e6, 1e15, 1e16, 1e20, 1e21, 1e22, 1e300,
];
const anyNumber = (by: Random): number => {
  const digits = 10 ** by(4);
  const value = ((by(2 * digits + 1) - digits) / digits) * pick(by, MAGNITUDES);
  return by(6) === 0 ? value * (1 + by(1000) / 1e16) : value;
};

const word = new DataView(new ArrayBuffer(8));
function neighbour(value: number, step: bigint): number {
  word.setFloat64(0, value);
  word.setBigInt64(0, word.getBigInt64(0) + step);
  const next = word.getFloat64(0);
  return Number.isFinite(next) ? next : value;
}

interface Bounds {
  readonly minimum?: number;
  readonly maximum?: number;
  readonly exclusiveMinimum?: number;
  readonly exclusiveMaximum?: number;
}

const isWithin = (
  value: number,
  { minimum = -Infinity, maximum = Infinity, exclusiveMinimum: above, exclusiveMaximum: below }: Bounds,
): boolean =>
  value >= minimum &&
  value <= maximum &&
  (above === undefined || value > above) &&
  (below === undefined || value < below);

function agree(grammar: Matcher, bounds: Bounds, value: number): void {
  for (const text of [JSON.stringify(value), pythonNumber(value)])
    expect({ bounds, text, isValid: grammar.matches(text) }).toEqual({
      bounds,
      text,
      isValid: isWithin(value, bounds),
    });
}

test("numbers with bounds", () => {
  let valid = 0;
  for (let i = 0; i < 120; i++) {
    const [a, b] = [anyNumber(random), anyNumber(random)].sort((x, y) => x - y) as [number, number];
    const bounds: Bounds = {
      ...(random(4) > 0 && { [random(2) > 0 ? "minimum" : "exclusiveMinimum"]: a }),
      ...(random(4) > 0 && { [random(2) > 0 ? "maximum" : "exclusiveMaximum"]: b }),
    };
    if (isWithin(a, bounds) || isWithin(b, bounds) || isWithin((a + b) / 2, bounds)) valid++;
    else continue;
    const grammar = matcher(schemaRules({ type: "number", ...bounds }));
    const values = [a, b, 0, (a + b) / 2, -a, -b, a / 2, b * 2, ...Array.from({ length: 12 }, () => anyNumber(random))];
    for (const value of values.filter(Number.isFinite)) agree(grammar, bounds, value);
    for (const bound of [a, b])
      for (const step of [1n, -1n, 2n]) if (bound !== 0) agree(grammar, bounds, neighbour(bound, step));
    // texts of more digits than a number has: none that is rounded to what is out of bounds
    for (const bound of [a, b]) {
      const text = decimal(bound);
      if (text.includes("e")) continue;
      const [whole, fraction = ""] = text.split(".");
      for (const end of ["0001", "99999999999999999999", "00000000000000000000001", "5"]) {
        const long = `${whole!}.${fraction}${end}`;
        if (grammar.matches(long))
          expect({ bounds, long, isValid: isWithin(Number(long), bounds) }).toEqual({ bounds, long, isValid: true });
      }
    }
  }
  expect(valid).toBeGreaterThan(60);
});

test("any number", () => {
  const grammar = matcher(schemaRules({ type: "number" }));
  for (let i = 0; i < 200; i++) agree(grammar, {}, anyNumber(random));
  for (const text of ["01", "+1", ".5", "1.", "1e", "0x1", "1e400", "NaN", "-", "1e-400"])
    expect({ text, isValid: grammar.matches(text) }).toEqual({ text, isValid: false });
  for (const text of ["-0", "1E5", "1.50", "12.5e-7", "0.0e+00", "1e308", "123456789012345678901234567890"])
    expect({ text, isValid: grammar.matches(text) }).toEqual({ text, isValid: true });
});

test("integers with bounds", () => {
  for (let i = 0; i < 120; i++) {
    const integer = (): number =>
      (random(2) * 2 - 1) * Math.floor((random(1e6) / 1e6) * 10 ** random(random(4) > 0 ? 5 : 17));
    const [a, b] = [integer(), integer()].sort((x, y) => x - y) as [number, number];
    const bounds: Bounds = {
      ...(random(4) > 0 && { [random(2) > 0 ? "minimum" : "exclusiveMinimum"]: a }),
      ...(random(4) > 0 && { [random(2) > 0 ? "maximum" : "exclusiveMaximum"]: b + 2 }),
    };
    if (![a, a + 1, b, b + 1].some((value) => isWithin(value, bounds))) continue;
    const grammar = matcher(schemaRules({ type: "integer", ...bounds }));
    const values = [a, b, a - 1, a + 1, b + 1, b + 2, b + 3, 0, 1, -1, -a, ...Array.from({ length: 20 }, integer)];
    for (const value of values) {
      const text = String(value + 0);
      expect({ bounds, text, isValid: grammar.matches(text) }).toEqual({
        bounds,
        text,
        isValid: isWithin(value, bounds),
      });
    }
    expect(grammar.matches("1.5")).toBe(false);
  }
});

test("multiples", () => {
  for (let i = 0; i < 60; i++) {
    const isLarge = random(3) === 0;
    const units = isLarge ? pick(random, [100, 250, 1000, 3600, 20_000, 1_000_000]) : 1 + random(40);
    const places = isLarge ? 0 : random(3);
    const step = units / 10 ** places;
    const [a, b] = [random(2000) - 1000, random(2000) - 1000].sort((x, y) => x - y) as [number, number];
    const isInteger = places === 0 || random(3) === 0;
    const bounds: Bounds = {
      ...(random(3) > 0 && { minimum: a / 10 }),
      ...(random(3) > 0 && { maximum: b / 10 + 50 }),
    };
    let grammar: Matcher | undefined;
    try {
      grammar = matcher(schemaRules({ type: isInteger ? "integer" : "number", multipleOf: step, ...bounds }));
    } catch (error) {
      // no multiple is within narrow bounds
      expect((error as Error).message).toContain("no value is valid");
    }
    for (let k = 0; k < 40; k++) {
      // in hundredths, where JavaScript's numbers are exact
      const hundredths = random(5) > 0 ? (random(400) - 200) * units * 10 ** (2 - places) : random(20_000) - 10_000;
      const value = hundredths / 100;
      const isValid =
        hundredths % (units * 10 ** (2 - places)) === 0 &&
        (!isInteger || hundredths % 100 === 0) &&
        isWithin(value, bounds);
      const text = JSON.stringify(value + 0);
      expect({ step, bounds, text, isValid: grammar?.matches(text) ?? false }).toEqual({
        step,
        bounds,
        text,
        isValid,
      });
    }
  }
});

test.each([[{ not: { type: "integer" } }], [{ not: { type: "integer" }, minimum: -2.5, maximum: 3 }]])(
  "numbers that are no integers: %j",
  (schema) => {
    const grammar = matcher(schemaRules({ type: "number", ...schema }));
    const texts = {
      "1": false,
      "1.0": false,
      "1.50": true,
      "-2.5": true,
      "0.1": true,
      "1e-7": true,
      "1e+20": false,
      "3.0": false,
    };
    expect(Object.fromEntries(Object.keys(texts).map((one) => [one, grammar.matches(one)]))).toEqual(texts);
  },
);
