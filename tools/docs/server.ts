/** docs/server.md: the fields of requests, from server/request/fields.ts, and the refusals, from server/refusal.ts. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { CONTEXT_SIZE, DEFAULTS, GRACE, OPEN, PATIENCE } from "@ggsl/server/config/options.js";
import { defaultSource } from "@ggsl/server/engine/defaults.js";
import { REFUSED } from "@ggsl/server/http/connections.js";
import { REQUEST_LIMITS, REQUEST_TIMES } from "@ggsl/server/http/limits.js";
import { ALIASES } from "@ggsl/server/request/aliases.js";
import { CONSTRAINT_FIELDS } from "@ggsl/server/request/constraints.js";
import { FIELDS, type Field } from "@ggsl/server/request/fields.js";
import { SAMPLER_FIELDS } from "@ggsl/server/request/samplerFields.js";
import { REFUSALS } from "@ggsl/server/refusal.js";
import { LONGEST } from "@ggsl/server/requestLog.js";
import { ROUTES } from "@ggsl/server/routes/openapi.js";
import { fill, table } from "../lib/markdown.js";
import { root } from "../lib/process.js";

const SUPPORT = { yes: "yes", partly: "in part", no: "refused" } as const;

/** Fields that other tools have. */
const isOther = (name: string): boolean =>
  [SAMPLER_FIELDS, CONSTRAINT_FIELDS, ALIASES].some((table) => Object.hasOwn(table, name));

export function page(): string {
  const all = Object.entries<Field>(FIELDS);
  const fields = all.filter(([name]) => !isOther(name));
  const row = ([name, { on, about }]: readonly [string, Field]): string[] => [`\`${name}\``, on.join(", "), about];
  const known = fields.flatMap(([name, field]) => {
    const [named, on, about] = row([name, field]);
    return field.support === "own" ? [] : [[named!, on!, SUPPORT[field.support], about!]];
  });
  return fill("server.md", {
    routes: table(
      ["path", "answer"],
      Object.entries(ROUTES).map(([route, about]) => [`\`${route}\``, about]),
    ),
    neutral: fields
      .flatMap(([name, { neutral = [] }]) =>
        neutral.length > 0 ? [`\`${name}\` ${neutral.map((one) => `\`${JSON.stringify(one)}\``).join(" or ")}`] : [],
      )
      .join(", "),
    fields: table(["field", "of", "done", "what it does, or why not"], known),
    others: table(["field", "of", "meaning"], all.filter(([name]) => isOther(name)).map(row)),
    own: table(["field", "of", "meaning"], fields.filter(([, { support }]) => support === "own").map(row)),
    limits: table(
      ["at most", "of"],
      Object.values(REQUEST_LIMITS).map(({ most, counts }) => [`${most}`, counts]),
    ),
    ...Object.fromEntries(Object.entries(REQUEST_TIMES).map(([name, time]) => [name, `${time / 1000}`])),
    ...Object.fromEntries(Object.entries(OPEN).map(([name, most]) => [name, `${most}`])),
    refusals: table(
      ["code", "status", "when", "what to do"],
      Object.entries(REFUSALS).map(([code, { status, when, fix }]) => [`\`${code}\``, `${status}`, when, fix]),
    ),
    chain: defaultSource({ most: 64, edits: true }).trimEnd(),
    refusedConnections: `${REFUSED.most}`,
    refusedTime: `${REFUSED.milliseconds / 1000}`,
    patience: `${PATIENCE / 1000}`,
    logText: `${LONGEST}`,
    contextSize: `${CONTEXT_SIZE}`,
    sequences: `${DEFAULTS.sequences}`,
    grace: `${GRACE / 1000}`,
    proxy: readFileSync(join(root, "examples", "fleet", "proxy.conf"), "utf8").trimEnd(),
  });
}
