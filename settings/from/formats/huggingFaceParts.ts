/** Settings of transformers' generation_config.json about other sequences, forced tokens and watermarks. */
import { settingsOf, type Node, type ObjectNode } from "../nodes.js";
import * as pieces from "../pieces.js";
import type { Stage } from "../plan.js";
import { openReader, type Reader } from "../reader.js";
import * as stages from "../stages.js";
import { tokenOf } from "../values.js";

/** Guidance by the logits of a second prompt, transformers' first processor. */
export function guidance(reader: Reader): Stage[] {
  const scale = reader.number("guidance_scale", { min: 0, max: 100 }) ?? 1;
  if (scale === 1) return [];
  reader.note(
    "caller",
    "guidance_scale",
    "bind the guide `negative` to the second prompt, as in `guides: { negative: { prompt } }`; without a negative prompt, " +
      "transformers takes the last token of the prompt",
  );
  return stages.guidance("guidance_scale", scale);
}

// ---------------------------------------------------------------- forced tokens

export function forcedStages(reader: Reader): Stage[] {
  const first = reader.whole("forced_bos_token_id", { min: 0 });
  return [
    ...pieces.forcedAt(
      "forced_begin",
      "The token after a text of one token, which an encoder-decoder starts with.",
      first === undefined ? [] : [{ at: 1, token: first }],
    ),
    ...forcedEnd(reader),
    ...pieces.forcedAt("forced_tokens", "The tokens at some places of the text.", placesOf(reader)),
  ];
}

/** `max_new_tokens` counts before `max_length`. */
function forcedEnd(reader: Reader): Stage[] {
  const tokens = [...new Set(reader.tokens("forced_eos_token_id"))];
  if (tokens.length === 0) return [];
  if (tokens.length > pieces.MAX_LISTED) reader.refuse("forced_eos_token_id", `at most ${pieces.MAX_LISTED} token ids`);
  const generated = reader.whole("max_new_tokens", { min: 1 });
  const all = reader.whole("max_length", { min: 1 });
  if (generated !== undefined) return pieces.forcedEnd("max_new_tokens", generated, "generated", tokens);
  if (all !== undefined) return pieces.forcedEnd("max_length", all, "all", tokens);
  reader.note("lost", "forced_eos_token_id", "neither max_new_tokens nor max_length says where the text ends");
  return [];
}

/** `[[1, null], [2, 50359]]`: places in the text and their tokens. */
function placesOf(reader: Reader): { at: number; token: number }[] {
  const key = "forced_decoder_ids";
  const node = reader.node(key);
  if (node === undefined) return [];
  const expected = `a list of at most ${MAX_FORCED} pairs of a place and a token id or null`;
  if (node.kind !== "array" || node.items.length > MAX_FORCED) return reader.refuse(key, expected);
  return node.items.flatMap((item) => placeOf(item) ?? reader.refuse(key, expected));
}

const MAX_FORCED = 64;

function placeOf(node: Node): { at: number; token: number }[] | undefined {
  const [place, forced] = node.kind === "array" && node.items.length === 2 ? node.items : [];
  const at = place && tokenOf(place);
  const token = forced && tokenOf(forced);
  if (at === undefined || (token === undefined && forced?.kind !== "null")) return undefined;
  return token === undefined ? [] : [{ at, token }];
}

// ---------------------------------------------------------------- watermarks

/** transformers' WatermarkingConfig. SynthID has other keys. */
export function watermark(reader: Reader): Stage[] {
  const key = "watermarking_config";
  const node = reader.node(key);
  if (node === undefined) return [];
  if (node.kind !== "object") return reader.refuse(key, "an object");
  if (node.members.has("ngram_len") || node.members.has("keys")) {
    reader.note(
      "lost",
      key,
      "its keys are other ones here; `synthid` of the standard library marks texts in the same way",
    );
    return [];
  }
  return greenList(reader, key, node);
}

function greenList(reader: Reader, key: string, node: ObjectNode): Stage[] {
  const inner = openReader(settingsOf(node, `${key}.`));
  const gamma = inner.number("greenlist_ratio", { min: 0, max: 1 }) ?? 0.25;
  const delta = inner.number("bias", { min: 0 }) ?? 2;
  const hash = inner.seed("hashing_key", () => false) ?? 15485863;
  const width = inner.whole("context_width", { min: 1 }) ?? 1;
  const scheme = inner.text("seeding_scheme") ?? "lefthash";
  const other = width === 1 && scheme === "lefthash" ? "" : "it follows from the last token only; ";
  reader.note(
    "differs",
    key,
    `${other}the green list is another one, so transformers does not find the watermark; \`detectWatermark\` does`,
  );
  return [
    { name: "watermark", args: { key: { uniform: "hashing_key", type: "seed", value: Number(hash) }, gamma, delta } },
  ];
}
