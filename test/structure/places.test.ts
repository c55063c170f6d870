/** CONTRIBUTING.md's places to touch: as many as it says, and each has the one that exists. */
import { describe, expect, test } from "@jest/globals";
import { existsSync, readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";

const PAGE = readFileSync("CONTRIBUTING.md", "utf8");
const TABLE = /\| to add \|.*\n\|.*\n((?:\|.*\n)+)/.exec(PAGE)![1]!;
/** What is added, how many places, the places, and the name of one that exists. */
const ROWS = [...TABLE.matchAll(/^\| (.*?) \| (\d+): (.*) \| `(.*)` \|$/gm)].map(
  ([, added, count, places, name]) => [added!, Number(count), places!, name!] as const,
);

const pathsIn = (text: string): string[] =>
  [...text.matchAll(/`([^`]+\/[^`]+|[\w-]+\.json)`/g)].map(([, path]) => path!);

function isNamedIn(path: string, name: string): boolean {
  if (statSync(path).isDirectory()) return readdirSync(path).some((entry) => isNamedIn(join(path, entry), name));
  const inTypeScript = name.replace(/_(.)/g, (_, letter: string) => letter.toUpperCase());
  return new RegExp(`(?<![\\w-])(${name}|${inTypeScript})(?![\\w-])`).test(readFileSync(path, "utf8"));
}

test("every row is read", () => {
  expect(ROWS).toHaveLength(TABLE.trim().split("\n").length);
  expect(ROWS.length).toBeGreaterThan(10);
});

describe.each(ROWS)("%s", (_, count, places, name) => {
  test("has as many places as it says", () => {
    // "such as ..., with ..." is part of a place
    const listed = places
      .replace(/\([^)]*\)/g, "")
      .split(/, (?!with |such )/)
      .map((place) => (place.includes("emitter for each form") ? [place, place] : [place]));
    expect(listed.flat()).toHaveLength(count);
  });
  test.each(pathsIn(places))("%s", (path) => {
    if (path.includes("NAME")) expect(existsSync(path.replace("NAME", name))).toBe(true);
    else expect(isNamedIn(path, name)).toBe(true);
  });
});

test("other paths of the page exist", () => {
  const others = pathsIn(PAGE.replace(TABLE, "")).filter((path) => /^[\w./-]+$/.test(path) && !path.includes("NAME"));
  expect(others.length).toBeGreaterThan(20);
  const tops = readdirSync(".");
  expect(
    others.filter((path) => tops.includes(path.split("/")[0]!) && !existsSync(path) && !path.startsWith("build/")),
  ).toEqual([]);
});
