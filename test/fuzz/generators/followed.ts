/** A grammar in the threads of the runtime, as a request to a server has it: prepared, then followed for some tokens. */
import { monitorEventLoopDelay } from "node:perf_hooks";
import { loadBinding } from "../../../runtime/backends/native/loader.js";
import type { NativeModel } from "../../../runtime/backends/native/binding.js";
import { InputError } from "../../../runtime/core/errors.js";
import { GRAMMAR_LIMITS } from "../../../runtime/grammars/limits.js";
import { openGrammar, prepareGrammar, type GrammarPlace } from "../../../runtime/grammars/open.js";
import type { GrammarSource, GrammarState } from "../../../runtime/grammars/types.js";
import { grammarPlace } from "../../../runtime/sequence/features/model.js";
import { tokensOf } from "../../grammars/walk.js";
import { DEMO_MODEL } from "../../model/file.js";
import { Wrong } from "../core/generator.js";

/** What a source that is not right, or takes too much, may be refused with. */
const REFUSED: ReadonlySet<string> = new Set([
  ...["INVALID_ARGUMENT", "INVALID_SCHEMA", "UNENFORCED_KEYWORD", "LIMIT_EXCEEDED"],
]);

/** Milliseconds that this thread may stand, on a machine that does more than this. */
const MOST_HELD = 1000;

/** Milliseconds after which a text that takes its time ends: each of its tokens has a limit of its own. */
const MOST_WALKED = 8000;

/** Milliseconds for a token, whose steps are bounded. */
const MOST_TOKEN = 1000;

let opened: Promise<NativeModel> | undefined;
let lanes = 0;

/** Throws `InputError` for a source that is refused, and `Wrong` for what must not be. */
export async function followed(source: GrammarSource, steps: number): Promise<void> {
  const model = await (opened ??= loadBinding().loadModel(DEMO_MODEL, { vocabOnly: true }));
  const place = grammarPlace(model, loadBinding(), `lane ${lanes++}`);
  const delay = monitorEventLoopDelay({ resolution: 10 });
  delay.enable();
  try {
    await walked(source, place, model.info.vocabSize, steps);
  } catch (error) {
    if (!(error instanceof InputError) || REFUSED.has(error.code)) throw error;
    throw new Wrong(`${error.code}: ${error.message}`);
  } finally {
    delay.disable();
  }
  if (delay.max > MOST_HELD * 1e6) throw new Wrong(`the event loop stood for ${Math.round(delay.max / 1e6)} ms`);
}

async function walked(source: GrammarSource, place: GrammarPlace, vocabSize: number, steps: number): Promise<void> {
  await timed("to prepare", GRAMMAR_LIMITS.quickMilliseconds + GRAMMAR_LIMITS.prepareMilliseconds, () =>
    prepareGrammar(source, place),
  );
  let state: GrammarState = openGrammar(source, place);
  const start = performance.now();
  try {
    for (let step = 0; step < steps && performance.now() - start < MOST_WALKED; step++) {
      await timed("for a token", MOST_TOKEN, async () => state.ready());
      const tokens = tokensOf(state.bits()).filter((token) => token < vocabSize);
      if (tokens.length === 0) throw new Wrong("no token may come next, and none ends the text");
      state = state.accept(tokens[(step * 7919) % tokens.length]!);
    }
  } finally {
    state.release();
  }
}

/** Threads have their limits of time; a busy machine, and the start of a thread, add to them. */
async function timed(what: string, most: number, run: () => Promise<unknown>): Promise<void> {
  const start = performance.now();
  await run();
  const milliseconds = performance.now() - start;
  if (milliseconds > 4 * most + 10_000) throw new Wrong(`${Math.round(milliseconds)} ms ${what}, at most ${most}`);
}
