/** All packages have one version, which the changelog has, and the release publishes all of them in an order in which they install. */
import { expect, test } from "@jest/globals";
import { readFileSync } from "node:fs";
import { manifestOf, publicFolders } from "../../tools/lib/packages.js";
import { PLATFORM_NAMES } from "../../tools/lib/platforms.js";
import { MEMBERS_SINCE } from "../../compiler/graph/specVersions.js";

const { version } = manifestOf("runtime");
const { workspaces } = JSON.parse(readFileSync("package.json", "utf8")) as { workspaces: string[] };
const FOLDERS = [...workspaces, "editors/vscode"];
const RELEASE = readFileSync(".github/workflows/release.yml", "utf8");

interface Locked {
  readonly version?: string;
  readonly dependencies?: Readonly<Record<string, string>>;
}

test("every package has the version, needs the others in it, and is so in package-lock.json", () => {
  const names = FOLDERS.map((folder) => manifestOf(folder).name);
  const { packages } = JSON.parse(readFileSync("package-lock.json", "utf8")) as { packages: Record<string, Locked> };
  const locked = workspaces.map((folder) => [`${folder}, locked`, packages[folder]!] as const);
  const faults = [...FOLDERS.map((folder) => [folder, manifestOf(folder)] as const), ...locked].flatMap(
    ([where, one]) => [
      ...(one.version === version ? [] : [`${where}: ${one.version}`]),
      ...Object.entries(one.dependencies ?? {})
        .filter(([name, range]) => names.includes(name) && range !== version)
        .map(([name, range]) => `${where}: ${name} ${range}`),
    ],
  );
  expect(faults).toEqual([]);
});

test("the changelog begins with what is not released, then the version with a date", () => {
  const headings = [...readFileSync("CHANGELOG.md", "utf8").matchAll(/^## (.*)$/gm)].map(([, heading]) => heading!);
  expect(headings[0]).toBe("Unreleased");
  expect(headings[1]).toMatch(new RegExp(`^${version.replaceAll(".", "\\.")} \\(\\d{4}-\\d\\d-\\d\\d\\)$`));
});

test("the pages that state it state this one", () => {
  const minor = version.split(".").slice(0, 2).join(".");
  expect(readFileSync("docs/install.md", "utf8")).toContain(`npm install @ggsl/linux-x64@${version}\n`);
  expect(readFileSync("docs/c.md", "utf8")).toContain(`find_package(ggsl ${minor} REQUIRED)`);
  expect(readFileSync("examples/embed/CMakeLists.txt", "utf8")).toContain(`find_package(ggsl ${minor} REQUIRED)`);
  expect(readFileSync("native/include/ggsl.h", "utf8")).toContain(`"${version}, for llama.cpp`);
});

test("docs/versions.md lists the members of the newest spec", () => {
  const row = /^\| 3 \| .*$/m.exec(readFileSync("docs/versions.md", "utf8"))![0];
  expect([...row.matchAll(/`(\w+)`/g)].map(([, name]) => name!).sort()).toEqual(Object.keys(MEMBERS_SINCE).sort());
});

test("the release names the repository in every package, and publishes each after what it needs", () => {
  const [, folders] = /for folder in ([a-z ]+); do\n\s*\(cd "\$folder" && npm pkg set/.exec(RELEASE)!;
  expect(folders!.split(" ").sort()).toEqual(publicFolders().sort());
  // as npm pack names them
  const fileOf = (name: string): string => `${name.replace("@", "").replace("/", "-")}-${version}.tgz`;
  const platforms = PLATFORM_NAMES.map((name) => `@ggsl/${name}`);
  const files = [...publicFolders().map((folder) => manifestOf(folder).name), ...platforms].map(fileOf).sort();
  const [, patterns] = /for tarball in (.*); do/.exec(RELEASE)!;
  const published = patterns!.split(" ").flatMap((pattern) => {
    const expression = pattern.replace("packages/", "").replaceAll(".", "\\.").replaceAll("*", ".*");
    return files.filter((file) => new RegExp(`^${expression}$`).test(file));
  });
  expect([...published].sort()).toEqual(files);
  for (const folder of publicFolders()) {
    const { name, dependencies = {} } = manifestOf(folder);
    const needed = Object.keys(dependencies).map(fileOf);
    const late = needed.filter((file) => published.indexOf(file) > published.indexOf(fileOf(name)));
    expect({ name, late }).toEqual({ name, late: [] });
  }
  const own = published.indexOf(fileOf("ggsl"));
  expect(platforms.filter((name) => published.indexOf(fileOf(name)) > own)).toEqual([]);
});
