/**
 * Sends 8 requests at once to llama-server with libggsl, `npm run check:llama-server` starts it: two chains, one with a state and one
 * with a feature of the text so far, in the model's graph and on the host, each with two seeds. Their texts are those of `ggsl run`.
 * Then the same to one with a draft model, where a chain whose states follow from the pick is on the host.
 */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { startProcess } from "../../bench/server/process.js";
import { formatTable } from "../../runtime/core/table.js";
import { writeExactModel } from "../model/file.js";
import { EXACT_OPTIONS, outputOf } from "./programs.js";

const [server = ""] = process.argv.slice(2);
const PROMPT = "In the beginning";
const TOKENS = 32;
const SEEDS = [1, 2];
const PLACES = ["graph", "host"] as const;
const CONTEXT = 256;
const CHAINS = {
  story: `import { top_k, temp, mirostat_v2 } from "std"
chain story(seed: seed = 0) = top_k(100) |> temp(0.9) |> mirostat_v2(4, 0.1, seed)`,
  penalties: `import { penalties, top_k, min_p, temp, dist } from "std"
chain penalised(t: f32 > 0 = 0.8, seed: seed = 0) =
  penalties(64, 1.3, 0.1, 0.1) |> top_k(40) |> min_p(0.05) |> temp(t) |> dist(seed)`,
} as const;
const GGSL = "runtime/dist/cli/main.js";
/** The first draft is the model itself. */
const DRAFTED = ["--spec-type", "draft-simple", "--spec-draft-n-max", "4"];

interface Answer {
  readonly status: number;
  readonly content?: string;
  readonly tokens_predicted?: number;
  readonly error?: { readonly message: string };
}

async function ask(url: string, body: object): Promise<Answer> {
  // llama-server hangs up on some requests of kept connections
  const headers = { "content-type": "application/json", connection: "close" };
  const response = await fetch(`${url}/completion`, { method: "POST", headers, body: JSON.stringify(body) });
  return { status: response.status, ...((await response.json()) as Omit<Answer, "status">) };
}

const folder = mkdtempSync(join(tmpdir(), "ggsl-server-"));
try {
  process.exitCode = await main();
} finally {
  rmSync(folder, { recursive: true, force: true });
}

async function main(): Promise<number> {
  const model = writeExactModel(folder);
  const file = (chain: string): string => join(folder, `${chain}.ggsl`);
  for (const [chain, text] of Object.entries(CHAINS)) {
    writeFileSync(file(chain), text);
    outputOf(process.execPath, [GGSL, "compile", file(chain), "-o", join(folder, `${chain}.json`)]);
  }
  const requests = Object.keys(CHAINS).flatMap((chain) =>
    PLACES.flatMap((place) => SEEDS.map((seed) => ({ chain, place, seed }))),
  );
  const size = ["--parallel", `${requests.length}`, "--ctx-size", `${requests.length * CONTEXT}`, "--kv-unified"];
  const log = join(folder, "log");
  const options = [
    ...["--verbose", "--log-file", log],
    "--model",
    model,
    "--port",
    "0",
    "--offline",
    "--cache-ram",
    "0",
    "--threads",
    "1",
    ...size,
    ...EXACT_OPTIONS,
  ];
  const alone = await compared(options, { model, log, requests, inGraph: ["story", "penalties"] });
  console.log("with a draft model:");
  const drafting = [...options, ...DRAFTED, "--spec-draft-model", model];
  // the states of the other one follow from the pick
  const drafted = await compared(drafting, { model, log, requests, inGraph: ["penalties"] });
  return alone && drafted ? 0 : 1;
}

interface Compared {
  readonly model: string;
  readonly log: string;
  /** The chains that run in the model's graph, where a request asks for that. */
  readonly inGraph: readonly string[];
  readonly requests: readonly {
    readonly chain: string;
    readonly place: (typeof PLACES)[number];
    readonly seed: number;
  }[];
}

/** Whether the texts of a server are those of `ggsl run`. */
async function compared(
  options: readonly string[],
  { model, log, requests, inGraph: chains }: Compared,
): Promise<boolean> {
  const { url, end } = await startProcess(server, [...options], /listening on (http:\S+)/);
  try {
    const file = (chain: string): string => join(folder, `${chain}.ggsl`);
    const specOf = (chain: string): unknown => JSON.parse(readFileSync(join(folder, `${chain}.json`), "utf8"));
    const base = { prompt: PROMPT, n_predict: TOKENS };
    const answers = await Promise.all(
      requests.map(({ chain, place, seed }) =>
        ask(url, {
          ...base,
          backend_sampling: place === "graph",
          ggsl: { spec: specOf(chain), set: { seed } },
        }),
      ),
    );
    const rows = requests.map(({ chain, place, seed }, i) => {
      const { status, content, error } = answers[i]!;
      const settings = [
        "--model",
        model,
        ...EXACT_OPTIONS,
        "--prompt",
        PROMPT,
        "-n",
        `${TOKENS}`,
        "--set",
        `seed=${seed}`,
      ];
      const expected = outputOf(process.execPath, [
        GGSL,
        "run",
        file(chain),
        "--backend",
        "cpu",
        ...settings,
      ]).trimEnd();
      const found = `${PROMPT}${content ?? ""}`.trimEnd();
      if (found !== expected) console.log(`expected: ${expected}\nfound:    ${found}\n${error?.message ?? ""}`);
      return [chain, place, `${seed}`, found === expected ? "same text" : `DIFFERENT (status ${status})`];
    });
    console.log(formatTable(["chain", "place", "seed", ""], rows));
    const refused = await ask(url, { ...base, ggsl: { spec: specOf("story"), set: { warmth: 1 } } });
    const isRefused = refused.status === 400 && /INVALID_ARGUMENT.*warmth/s.test(refused.error?.message ?? "");
    console.log(`an unknown parameter: status ${refused.status}, ${refused.error?.message}`);
    // llama-server's own word for a token that the model's graph has picked
    const picked = readFileSync(log, "utf8").match(/Backend sampler selected token/g)?.length ?? 0;
    const inGraph = answers.filter((_, i) => requests[i]!.place === "graph" && chains.includes(requests[i]!.chain));
    const expected = inGraph.reduce((sum, { tokens_predicted = 0 }) => sum + tokens_predicted, 0);
    console.log(`picked in the model's graph: ${picked} tokens, expected ${expected}`);
    return isRefused && picked === expected && rows.every((row) => row.at(-1) === "same text");
  } finally {
    await end();
  }
}
