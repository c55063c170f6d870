/** What a context is given for a job, and what the job gets of its outputs. */
import type { NativeContext } from "../../backends/native/binding.js";
import type { Place } from "./places.js";
import type { Job } from "./reading.js";
import { rowsOf, type SlotOutput } from "./step.js";

/** The chain of its sequence and guides. */
export function giveChain(context: NativeContext, job: Job): void {
  const { main, guides } = job.places;
  main.give(context, job.chain, false);
  for (const { place } of guides) place.give(context, job.chain, true);
  job.isPrepared = true;
}

/** The uniforms and inputs of each output. */
export function setInputs(context: NativeContext, { places: { main, guides }, step }: Job): void {
  const { sequence } = main;
  if (step.text) return context.setText!(sequence, step.text);
  for (const [row, { uniforms, inputs }] of rowsOf(step).entries()) {
    context.setUniforms(sequence, uniforms, row);
    for (let i = 0; i < inputs.length; i++) {
      const guide = guides.find(({ input }) => input === i + 1);
      if (guide) context.setGuide(sequence, i + 1, guide.place.sequence);
      else if (inputs[i]!.length > 0) context.setInput(sequence, i + 1, inputs[i]!, row);
    }
  }
}

/** The outputs of a job. */
export function outputsOf(
  { places: { main, guides }, step }: Job,
  outputs: ReadonlyMap<number, readonly SlotOutput[]>,
): readonly SlotOutput[] {
  const of = ({ sequence }: Place): readonly SlotOutput[] => outputs.get(sequence) ?? [];
  if (!step.isRaw || guides.length === 0) return of(main);
  const ofGuides = guides.map(({ place }) => of(place));
  return of(main).map((output, row) => ({ ...output, guides: ofGuides.map((rows) => rows[row]!.raw!) }));
}

/** Errors of a single sequence: after these, the sequences of the batch hold either all or none of its tokens. */
const CAUSED_BY_ONE: ReadonlySet<string> = new Set(["INVALID_LOGITS", "INVALID_ARGUMENT", "LIMIT_EXCEEDED"]);

export const isOfOne = (code: string): boolean => CAUSED_BY_ONE.has(code);
