/** E08xx: policies of a server, and chains of requests that they do not fit. */
import type { Span } from "../source/source.js";
import { error, type Diagnostic } from "./diagnostic.js";

export const policyWithoutChains = (span: Span): Diagnostic =>
  error("E0801", span, "a policy declares a chain `before`, a chain `before_pick`, or both", {
    help: "declare one: `chain before = bad_words(...)`; its stages come before those of every request",
  });

export const policyIsOpen = (span: Span, chain: string, what: string): Diagnostic =>
  error("E0802", span, `the chain \`${chain}\` of a policy takes ${what} from requests`, {
    label: "a request could choose the value",
    help: "write the value into the policy",
  });

export const policyCanBeUndone = (span: Span, stage: string): Diagnostic =>
  error("E0803", span, `\`${stage}\` changes logits in the chain \`before\``, {
    label: "stages of a request can change them back",
    help: "drop tokens with `keep`, which nothing undoes, or move the stage to the chain `before_pick`",
  });

export const policyPicks = (span: Span, chain: string, stage: string): Diagnostic =>
  error("E0804", span, `\`${stage}\` picks the token, or runs on the host, in the chain \`${chain}\` of a policy`, {
    help: "the last stage of a request picks; a policy changes what it picks from",
  });

export const pickDoesMore = (span: Span, stage: string): Diagnostic =>
  error(
    "E0805",
    span,
    `\`${stage}\` does more than to pick, and the policy of this server comes right before the pick`,
    {
      label: "the policy cannot come between its parts",
      help: "end the chain with `dist()` or `greedy()`, and put what else the stage does before it",
    },
  );

export const hostBeforePolicy = (span: Span, stage: string): Diagnostic =>
  error("E0806", span, `the host stage \`${stage}\` comes before the policy of this server, which runs on the device`, {
    help: "use a sampler of the standard library without `host`",
  });

export const policyDoesNotFit = (span: Span): Diagnostic =>
  error("E0807", span, "the policy of this server cannot be combined with this chain", {
    help: "use fewer or simpler stages; whoever runs the server sees why with `ggsl serve --policy FILE --check`",
  });
