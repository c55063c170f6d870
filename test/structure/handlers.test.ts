/** Handlers of events and timers in the server: nothing catches what they throw, so each is guarded. */
import { expect, test } from "@jest/globals";
import { globSync } from "tinyglobby";
import { readFileSync } from "node:fs";

const BEGINS =
  /\b(?:setTimeout|setInterval|setImmediate|queueMicrotask)\(|\.(?:on|once|addListener|addEventListener)\(/g;
/** What gives a promise its value throws nothing. */
const HARMLESS = /^\s*(?:[\w"]+,\s*)?(?:resolve\b|\(\)\s*=>\s*resolve\()/;

test("each is guarded", () => {
  const unguarded: string[] = [];
  let found = 0;
  for (const file of globSync("server/**/*.ts", { ignore: ["**/dist/**", "server/guarded.ts"] })) {
    const text = readFileSync(file, "utf8");
    for (const { 0: begin, index } of text.matchAll(BEGINS)) {
      found++;
      const rest = text.slice(index + begin.length, index + begin.length + 100);
      const [, name] = /^\s*(?:"\w+",\s*)?(\w+)\s*[,)]/.exec(rest) ?? [];
      const isGuarded =
        /^\s*(?:"\w+",\s*)?guarded\(/.test(rest) || (name !== undefined && text.includes(`${name} = guarded(`));
      if (!isGuarded && !HARMLESS.test(rest)) unguarded.push(`${file}: ${begin}${rest.split("\n")[0]!}`);
    }
  }
  expect(found).toBeGreaterThan(10);
  expect(unguarded).toEqual([]);
});

test("values of headers pass one function", () => {
  const others = globSync("server/**/*.ts", { ignore: ["**/dist/**", "server/http/headers.ts"] }).filter((file) =>
    /\.(?:header|headers|setHeader|appendHeader)\(/.test(readFileSync(file, "utf8")),
  );
  expect(others).toEqual([]);
});
