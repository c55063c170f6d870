/** Packages whose samplers requests can import. */
import { expect, test } from "@jest/globals";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { openLibraries } from "../../server/samplers/libraries.js";
import { codeOf, folder, openStore, refusalOf, VOCAB_SIZE } from "./store.js";

const home = process.cwd();
function write(name: string, text: string): void {
  const file = join(folder, "node_modules", name);
  mkdirSync(join(file, ".."), { recursive: true });
  writeFileSync(file, text);
}
/** As a server that is started in the folder. */
function opened(...names: string[]) {
  process.chdir(folder);
  try {
    return openLibraries(names, VOCAB_SIZE);
  } finally {
    process.chdir(home);
  }
}

write("@someone/samplers/package.json", '{ "version": "1.2.0", "ggsl": "samplers.ggsl" }');
write(
  "@someone/samplers/samplers.ggsl",
  'import { two } from "needed"\nimport { t } from "./t.ggsl"\nsampler half() { logit *= t / two }\n',
);
write("@someone/samplers/t.ggsl", "const t = 1\n");
write("needed/package.json", '{ "version": "3.0.0", "ggsl": "n.ggsl" }');
write("needed/n.ggsl", "const two = 2\n");
write("faulty/package.json", '{ "version": "1.0.0", "ggsl": "f.ggsl" }');
write("faulty/f.ggsl", "sampler f() { logit *= two }\n");
write("plain/package.json", '{ "version": "1.0.0" }');

const program = (from: string): string =>
  `import { half } from "${from}"\nimport { dist } from "std"\nchain c = half() |> dist(1)\n`;

test("a program of a request imports a library, and what is in it", async () => {
  await using store = openStore({ libraries: opened("@someone/samplers") });
  const sampler = await store.get({ sampler: program("@someone/samplers") });
  expect(sampler.chainName).toBe("c");
  // no folder of the server is shown
  expect(JSON.stringify([sampler.spec, sampler.explain])).not.toContain(folder);
  expect(JSON.stringify(sampler.spec)).toContain("@someone/samplers@1.2.0/samplers.ggsl");
  for (const [from, code, reason] of [
    ["needed", "E0225", '"needed" is no library of this server (sampler:1:22): it has "@someone/samplers"'],
    ["./samplers.ggsl", "E0205", "cannot be read"],
    ["@someone/samplers/t", "E0225", 'has no file for "./t"'],
  ]) {
    const refusal = await refusalOf(store.get({ sampler: program(from!) }));
    expect([from, codeOf(refusal), refusal.message]).toEqual([from, code, expect.stringContaining(reason!)]);
  }
});

test("a server without libraries says so", async () => {
  await using store = openStore();
  const refusal = await refusalOf(store.get({ sampler: program("@someone/samplers") }));
  expect(refusal.message).toContain("--library NAME");
});

test.each([
  ["none", "MISSING_PACKAGE", /the library "none" is not installed: npm install none/],
  ["plain", "INVALID_FILE", /the package plain 1\.0\.0 has no samplers/],
  ["faulty", "INVALID_FILE", /error\[E0201\][^]*--> faulty@1\.0\.0\/f\.ggsl:1:24, of faulty 1\.0\.0/],
  ["../x", "INVALID_ARGUMENT", /the name of a package/],
])("%s is refused at the start", (name, code, message) => {
  expect(() => opened(name)).toThrow(expect.objectContaining({ code, message: expect.stringMatching(message) }));
});
