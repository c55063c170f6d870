/** What the published packages install runs on the versions of Node.js that they promise. */
import { expect, test } from "@jest/globals";
import { readFileSync } from "node:fs";
import { checkEngines, type LockedPackages } from "../../tools/lib/engines.js";
import { publicFolders } from "../../tools/lib/packages.js";

const { packages } = JSON.parse(readFileSync("package-lock.json", "utf8")) as { packages: LockedPackages };

const checked = (planted: LockedPackages): string => {
  try {
    checkEngines({ ...packages, ...planted }, publicFolders());
    return "";
  } catch (error) {
    return (error as Error).message;
  }
};

test("the present tree has no violation", () => {
  expect(publicFolders()).toContain("server");
  expect(checked({})).toBe("");
});

test("a package that needs a newer Node.js is found, however deep it is", () => {
  const planted = { ...packages["node_modules/cookie"], version: "2.0.2", engines: { node: ">=22" } };
  expect(checked({ "node_modules/cookie": planted })).toContain(
    "  the workspace server promises Node.js >=20.19, but cookie 2.0.2 needs >=22; light-my-request brings it\n",
  );
  // the copy that another package has for itself
  const nested = { "node_modules/light-my-request/node_modules/cookie": planted };
  expect(checked(nested)).toContain("cookie 2.0.2 needs >=22");
  // a range with gaps: of versions between, and of newer ones
  for (const node of ["^20.19.0 || >=22.12.0", "20.x", ">=20.20"])
    expect(checked({ "node_modules/fastify": { ...packages["node_modules/fastify"], engines: { node } } })).toContain(
      `needs ${node}; the workspace server brings it`,
    );
});

test("every published workspace is checked, and what only development needs is not", () => {
  for (const folder of publicFolders()) {
    const dependency = { version: "1.0.0", engines: { node: ">=99" } };
    const own = packages[folder]!;
    const found = checked({
      [folder]: { ...own, dependencies: { ...own.dependencies, planted: "1" } },
      "node_modules/planted": dependency,
    });
    expect(found).toContain(`planted 1.0.0 needs >=99; the workspace ${folder} brings it`);
  }
  expect(checked({ "node_modules/jest": { ...packages["node_modules/jest"], engines: { node: ">=99" } } })).toBe("");
  const optional = { ...packages["node_modules/@huggingface/transformers"], engines: { node: ">=99" } };
  expect(checked({ "node_modules/@huggingface/transformers": optional })).toBe("");
});

test("a package that the file lacks is an error", () => {
  const { server } = packages;
  expect(checked({ server: { ...server, dependencies: { ...server!.dependencies, gone: "1" } } })).toMatch(
    /package-lock\.json has no gone, which the workspace server needs/,
  );
});
