/** docs/apis.md: the fields of each API, from server/apis, and the clients that the tests run, from test/server/clients/cases.json. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { MESSAGES_FIELDS } from "@ggsl/server/apis/anthropic/fields.js";
import { CHAT_FIELDS, GENERATE_FIELDS } from "@ggsl/server/apis/ollama/fields.js";
import { RESPONSES_FIELDS } from "@ggsl/server/apis/responses/fields.js";
import { OWN } from "@ggsl/server/apis/shared.js";
import type { Rules } from "@ggsl/server/request/forms.js";
import { fill, table } from "../lib/markdown.js";
import { root } from "../lib/process.js";

const SUPPORT = { yes: "yes", own: "yes", partly: "in part", no: "refused" } as const;

const rows = (fields: Rules): string[][] =>
  Object.entries(fields)
    .filter(([name]) => !Object.hasOwn(OWN, name))
    .map(([name, { support, about }]) => [`\`${name}\``, SUPPORT[support], about]);

const fieldsOf = (fields: Rules): string => table(["field", "done", "what it does, or why not"], rows(fields));

interface Client {
  readonly packages: readonly string[];
  readonly api: string;
  readonly cases: readonly string[];
  readonly differs: string;
}

const json = (...path: string[]): unknown => JSON.parse(readFileSync(join(root, ...path), "utf8"));

/** As they are installed. */
function clients(): string {
  const { packages } = json("package-lock.json") as { packages: Readonly<Record<string, { version: string }>> };
  const known = json("test", "server", "clients", "cases.json") as Readonly<Record<string, Client>>;
  return table(
    ["client", "API", "what is run", "what differs"],
    Object.values(known).map(({ packages: names, api, cases, differs }) => [
      names.map((name) => `${name} ${packages[`node_modules/${name}`]!.version}`).join(", "),
      api.replaceAll(/\/[\w/]+/g, "`$&`"),
      cases.join("; "),
      differs,
    ]),
  );
}

export function page(): string {
  const ofGenerate = Object.fromEntries(
    Object.entries(GENERATE_FIELDS).filter(([name]) => !Object.hasOwn(CHAT_FIELDS, name)),
  );
  const named = (path: string, own: Rules): string[][] =>
    rows(own).map(([name, done, about]) => [name!, path, done!, about!]);
  const both = Object.fromEntries(Object.entries(CHAT_FIELDS).filter(([name]) => Object.hasOwn(GENERATE_FIELDS, name)));
  const ofChat = Object.fromEntries(
    Object.entries(CHAT_FIELDS).filter(([name]) => !Object.hasOwn(GENERATE_FIELDS, name)),
  );
  return fill("apis.md", {
    clients: clients(),
    responses: fieldsOf(RESPONSES_FIELDS),
    messages: fieldsOf(MESSAGES_FIELDS),
    ollama: table(
      ["field", "of", "done", "what it does, or why not"],
      [...named("both", both), ...named("chat", ofChat), ...named("generate", ofGenerate)],
    ),
  });
}
