/** JSON with parts that are JSON already: arguments of calls keep all digits that the model wrote. */
import { newId } from "./ids.js";

/** A text of JSON in the place of a value. */
class RawJson {
  constructor(readonly text: string) {}
}

/** As `JSON.stringify`. */
export function jsonOf(value: object): string {
  const raw: string[] = [];
  const mark = newId("raw-");
  const text = JSON.stringify(value, (_, one: unknown) =>
    one instanceof RawJson ? `${mark}-${raw.push(one.text) - 1}` : one,
  );
  return raw.length === 0
    ? text
    : text.replace(new RegExp(`"${mark}-(\\d+)"`, "g"), (__, i: string) => raw[Number(i)]!);
}

/** The arguments of a call as an object; an empty one for those that are none, as of a call that was cut. */
export function objectOf(text: string): RawJson {
  try {
    JSON.parse(text);
    return new RawJson(text);
  } catch {
    return new RawJson("{}");
  }
}
