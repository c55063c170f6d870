/** `ggsl check --json` and `--sarif`: valid by their schemas, for every diagnostic that there is, with fixes that work. */
import { describe, expect, test } from "@jest/globals";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { checkFiles, type Findings } from "../../cli/check/findings.js";
import { jsonOf } from "../../cli/check/json.js";
import { sarifOf } from "../../cli/check/sarif.js";
import { importerFor } from "../../cli/files.js";
import { formatDiagnostic } from "../../compiler/check/format.js";
import { RULES } from "../../cli/check/rules.js";
import { checkProgram } from "../../compiler/driver.js";
import { ownSchema, sarifSchema } from "./schemas.js";
import { warm } from "./warm/warm.js";

const FOLDER = "test/diagnostics";
const PROGRAMS = readdirSync(FOLDER).filter((name) => name.endsWith(".ggsl"));
const paths = PROGRAMS.map((name) => join(FOLDER, name));

interface Place {
  readonly file: string;
  readonly range: { readonly start: Position; readonly end: Position };
}

interface Position {
  readonly line: number;
  readonly column: number;
  readonly offset: number;
}

interface Checked {
  readonly version: number;
  readonly files: readonly string[];
  readonly errors: number;
  readonly warnings: number;
  readonly diagnostics: readonly (Partial<Place> & {
    readonly code: string;
    readonly severity: string;
    readonly message: string;
    readonly fix?: { readonly title: string; readonly edits: readonly (Place & { readonly text: string })[] };
  })[];
}

interface Region {
  readonly startLine: number;
  readonly startColumn: number;
  readonly endLine: number;
  readonly endColumn: number;
}

interface Sarif {
  readonly runs: readonly {
    readonly tool: {
      readonly driver: { readonly version: string; readonly rules: readonly { readonly id: string }[] };
    };
    readonly invocations: readonly { readonly executionSuccessful: boolean }[];
    readonly results: readonly {
      readonly ruleId: string;
      readonly ruleIndex: number;
      readonly locations: readonly {
        readonly physicalLocation: { readonly artifactLocation: { readonly uri: string }; readonly region: Region };
      }[];
      readonly fixes?: readonly {
        readonly artifactChanges: readonly {
          readonly replacements: readonly { readonly deletedRegion: Region; readonly insertedContent: object }[];
        }[];
      }[];
    }[];
  }[];
}

const findings: Findings = checkFiles([...paths, "nowhere/no.ggsl"], {});
const checked = JSON.parse(jsonOf(findings)) as Checked;
const sarif = JSON.parse(sarifOf(findings, "1.2.3")) as Sarif;

describe("--json", () => {
  test("has the form of the schema", () => {
    expect(ownSchema("check")(checked)).toEqual([]);
    // the schema is not one that accepts anything
    expect(ownSchema("check")({ ...checked, version: 2 })).not.toEqual([]);
    expect(ownSchema("check")({ ...checked, more: 1 })).not.toEqual([]);
  });

  test("has each diagnostic of the text, at the same place", () => {
    const { diagnostics } = checked;
    expect(diagnostics.length).toBe(findings.diagnostics.length + 1);
    expect(diagnostics.length).toBeGreaterThan(200);
    expect(diagnostics[0]).toMatchObject({ code: "UNREADABLE_FILE", severity: "error", file: "nowhere/no.ggsl" });
    for (const [i, d] of findings.diagnostics.entries()) {
      const { code, file, range } = diagnostics[i + 1]!;
      const text = formatDiagnostic(d);
      expect(text).toContain(`[${code}]`);
      expect(text).toContain(`${file}:${range!.start.line}:${range!.start.column}\n`);
    }
    expect(checked.errors + checked.warnings).toBe(diagnostics.length);
  });

  test("a fix removes its diagnostic", () => {
    const fixable = checked.diagnostics.filter(
      (d) => d.fix && d.file!.startsWith(FOLDER) && PROGRAMS.includes(d.file!.slice(FOLDER.length + 1)),
    );
    expect(fixable.length).toBeGreaterThan(15);
    const kept = fixable.filter((d) => {
      const { edits } = d.fix!;
      let text = readFileSync(d.file!, "utf8");
      const count = (program: string): number =>
        checkProgram({ name: d.file!, text: program }, { importer: importerFor(d.file!) }).filter(
          (e) => e.code === d.code && e.message === d.message,
        ).length;
      const before = count(text);
      for (const { range, text: inserted } of edits.toSorted((a, b) => b.range.start.offset - a.range.start.offset))
        text = text.slice(0, range.start.offset) + inserted + text.slice(range.end.offset);
      return count(text) >= before;
    });
    expect(kept.map(({ file, code, message }) => ({ file, code, message }))).toEqual([]);
  });
});

describe("--sarif", () => {
  test("is SARIF 2.1.0", () => {
    expect(sarifSchema()(sarif)).toEqual([]);
    expect(sarifSchema()({ ...sarif, version: "2.0.0" })).not.toEqual([]);
  });

  test("has the diagnostics of --json, each with its rule", () => {
    const [run] = sarif.runs;
    const { rules, version } = run!.tool.driver;
    expect(version).toBe("1.2.3");
    expect(rules.map(({ id }) => id)).toEqual(Object.keys(RULES));
    expect(run!.invocations[0]).toMatchObject({
      executionSuccessful: false,
      toolExecutionNotifications: [{ descriptor: { id: "UNREADABLE_FILE" } }],
    });
    const own = checked.diagnostics.slice(1);
    const places = own.map(({ code, file, range, fix }) => [code, file, range!.start, fix?.edits.length ?? 0]);
    const found = run!.results.map(({ ruleId, ruleIndex, locations, fixes }) => {
      const { artifactLocation, region } = locations[0]!.physicalLocation;
      expect(rules[ruleIndex]!.id).toBe(ruleId);
      expect(region.endLine > region.startLine || region.endColumn >= region.startColumn).toBe(true);
      const start = { line: region.startLine, column: region.startColumn, offset: expect.any(Number) };
      const edits = fixes?.[0]?.artifactChanges[0]?.replacements.length ?? 0;
      return [ruleId, decodeURIComponent(artifactLocation.uri), start, edits];
    });
    expect(places).toEqual(found);
  });

  test("names of files are URIs", () => {
    const name = "a folder/ü%#?.ggsl";
    const uri = (file: string): string => {
      const diagnostics = checkProgram({ name: file, text: "chain c = sparkle()" });
      const other = { ...findings, unread: [], diagnostics };
      const { runs } = JSON.parse(sarifOf(other, "1")) as Sarif;
      return runs[0]!.results[0]!.locations[0]!.physicalLocation.artifactLocation.uri;
    };
    expect(uri(name)).toBe("a%20folder/%C3%BC%25%23%3F.ggsl");
    expect(uri(`/${name}`)).toMatch(/^file:\/\/\/a%20folder\/%C3%BC%25%23%3F\.ggsl$/);
  });
});

describe("the command", () => {
  const run = warm();
  const ggsl = (args: readonly string[], input = "") => run(["check", ...args], { input });

  test("prints one object, and exits with 1 for errors", () => {
    const path = join(FOLDER, "unknown_name.ggsl");
    const json = ggsl([path, "--json"]);
    expect(json).toMatchObject({ status: 1, stderr: "" });
    expect(JSON.parse(json.stdout)).toEqual(JSON.parse(jsonOf(checkFiles([path], {}))));
    const { version } = JSON.parse(readFileSync("runtime/package.json", "utf8")) as { version: string };
    const both = ggsl([path, "--sarif"]);
    expect(both).toMatchObject({ status: 1, stderr: "" });
    expect(JSON.parse(both.stdout)).toEqual(JSON.parse(sarifOf(checkFiles([path], {}), version)));
    expect(ggsl(["examples/reports.ggsl", "--json"])).toMatchObject({ status: 0, stderr: "" });
    expect(ggsl([path, "--sarif", "--json"])).toMatchObject({ status: 2 });
  });
});
