/**
 * The numbers of each tool's settings, read independently: a random number in a setting's range is that number of a stage of the
 * imported chain, or a note says that it is not carried over; where a tool documents a number as off, there is no such stage.
 */
import { expect, test } from "@jest/globals";
import * as fc from "fast-check";
import { check } from "../../compiler/check/check.js";
import { importFile } from "../../settings/from/import.js";
import { flatten } from "../../settings/to/flatten.js";
import { textSource } from "./gguf.js";

interface Documented {
  /** The stages that can have it, and their parameter; absent: the importer carries the setting over to no chain. */
  readonly place?: readonly [stages: readonly string[], param: string];
  readonly range: readonly [min: number, max: number];
  readonly isWhole?: true;
  /** The number that turns it off; absent: it only matters beside `beside`. */
  readonly off?: number;
  /** The setting that must be on for this one to matter. */
  readonly beside?: string;
}

interface Tool {
  /** What else the settings need. */
  readonly base: object;
  /** Where the settings are. */
  readonly inside?: string;
  readonly settings: Readonly<Record<string, Documented>>;
}

const UNIT = [0.05, 0.95] as const;
/** From `stage.param`, or `stage|stage.param`. */
function placeOf(text: string): readonly [string[], string] {
  const [stages, param] = text.split(".") as [string, string];
  return [stages.split("|"), param];
}
const at = (place: string, range: readonly [number, number], off?: number): Documented => ({
  place: placeOf(place),
  range,
  ...(off !== undefined && { off }),
});
const whole = (place: string, range: readonly [number, number], off: number): Documented => ({
  ...at(place, range, off),
  isWhole: true,
});
const beside = (setting: string, place: string, range: readonly [number, number]): Documented => ({
  ...at(place, range),
  beside: setting,
});
const lost = (range: readonly [number, number], off: number): Documented => ({ range, off });

/** The filters that most tools share. */
const FILTERS = {
  top_k: whole("top_k.k", [1, 200], 0),
  top_p: at("top_p.p", UNIT, 1),
  min_p: at("min_p.p", UNIT, 0),
};
const XTC = {
  xtc_probability: at("xtc.p", UNIT, 0),
  xtc_threshold: beside("xtc_probability", "xtc.t", [0.05, 0.45]),
};
const PENALTIES = {
  repeat_penalty: at("penalties.repeat", [1.05, 2], 1),
  frequency_penalty: at("penalties.freq", [0.1, 2], 0),
  presence_penalty: at("penalties.present", [0.1, 2], 0),
  repeat_last_n: { ...beside("repeat_penalty", "penalties.last_n", [1, 500]), isWhole: true } as const,
};
const OLLAMA = {
  ...FILTERS,
  typical_p: at("typical.p", UNIT, 1),
  temperature: at("temp.t", [0.1, 3], 1),
  ...PENALTIES,
};

const TOOLS: Readonly<Record<string, Tool>> = {
  "llama.cpp": {
    base: {},
    settings: {
      ...OLLAMA,
      ...XTC,
      temperature: at("temp|temp_ext.t", [0.1, 3], 1),
      top_n_sigma: at("top_n_sigma.n", [0.1, 4], -1),
      dynatemp_range: at("temp_ext.delta", [0.1, 2], 0),
      dry_multiplier: at("dry.multiplier", [0.1, 3], 0),
      dry_base: beside("dry_multiplier", "dry.base", [1.1, 4]),
      dry_penalty_last_n: { ...beside("dry_multiplier", "dry.last_n", [1, 500]), isWhole: true },
      dry_allowed_length: { ...beside("dry_multiplier", "dry.allowed_length", [1, 9]), isWhole: true },
    },
  },
  ollama: { base: {}, inside: "options", settings: OLLAMA },
  "ollama-2025": { base: {}, inside: "options", settings: OLLAMA },
  "ollama-engine": {
    base: {},
    inside: "options",
    settings: {
      ...FILTERS,
      temperature: at("temp.t", [0.1, 3], 1),
      repeat_penalty: lost([1.05, 2], 1),
      presence_penalty: lost([0.1, 2], 0),
    },
  },
  vllm: {
    base: {},
    settings: {
      ...FILTERS,
      temperature: at("temp.t", [0.1, 2], 1),
      repetition_penalty: at("text_penalties.repeat", [1.05, 2], 1),
      frequency_penalty: at("generated_penalties.freq", [-2, -0.1], 0),
      presence_penalty: at("generated_penalties.present", [0.1, 2], 0),
    },
  },
  huggingface: {
    base: { do_sample: true },
    settings: {
      ...FILTERS,
      temperature: at("temp.t", [0.1, 3], 1),
      typical_p: at("typical.p", UNIT, 1),
      repetition_penalty: at("text_penalties.repeat", [1.05, 2], 1),
      encoder_repetition_penalty: at("encoder_penalty.strength", [1.05, 2], 1),
      no_repeat_ngram_size: whole("no_repeat_ngram.size", [1, 6], 0),
      epsilon_cutoff: at("epsilon.cutoff", [0.001, 0.05], 0),
      eta_cutoff: at("eta.cutoff", [0.001, 0.05], 0),
    },
  },
  koboldcpp: {
    base: {},
    settings: {
      ...FILTERS,
      ...XTC,
      typical: at("typical.p", UNIT, 1),
      top_a: at("top_a.a", UNIT, 0),
      tfs: at("kobold_tail_free.z", UNIT, 1),
      nsigma: at("top_n_sigma.n", [0.1, 4], 0),
      smoothing_factor: at("quadratic.factor", [0.1, 3], 0),
      dry_multiplier: at("dry.multiplier", [0.1, 3], 0),
      dry_base: beside("dry_multiplier", "dry.base", [1.1, 4]),
    },
  },
  sillytavern: {
    base: {},
    settings: {
      ...FILTERS,
      ...XTC,
      typical_p: at("typical.p", UNIT, 1),
      top_a: at("top_a.a", UNIT, 0),
      temp: at("temp.t", [0.1, 3], 1),
      tfs: at("kobold_tail_free.z", UNIT, 1),
      rep_pen: at("penalties.repeat", [1.05, 2], 1),
      presence_pen: at("penalties.present", [0.1, 2], 0),
      nsigma: at("top_n_sigma.n", [0.1, 4], 0),
      dry_multiplier: at("dry.multiplier", [0.1, 3], 0),
      epsilon_cutoff: lost([1, 9], 0),
      eta_cutoff: lost([1, 9], 0),
      freq_pen: lost([0.1, 2], 0),
    },
  },
  mnn: {
    base: {
      sampler_type: "mixed",
      mixed_samplers: ["penalty", "topK", "tfs", "typical", "topP", "minP", "temperature"],
    },
    settings: {
      // at 1 they still drop tokens there
      tfsZ: at("mnn_tail_free.z", UNIT),
      typical: at("mnn_typical.p", UNIT),
      topP: at("top_p.p", UNIT, 1),
      temperature: at("temp.t", [0.1, 3], 1),
      topK: { ...at("top_k.k", [1, 200]), isWhole: true },
    },
  },
};

/** Stages that a tool has in any case: KoboldCpp keeps its 3000 likeliest tokens. */
const ALWAYS: Readonly<Record<string, readonly string[]>> = { koboldcpp: ["top_k"], sillytavern: ["top_k"] };

/** Every run has a number for each setting. */
const RUNS = process.env["GGSL_WHOLE"] === "1" ? 200 : 8;

type Values = Readonly<Record<string, number>>;

/** A number for each setting: in its range, or the one that turns it off. */
const valuesOf = ({ settings }: Tool): fc.Arbitrary<Values> =>
  fc.record(
    Object.fromEntries(
      Object.entries(settings).map(([key, { range, isWhole, off }]): [string, fc.Arbitrary<number>] => {
        const [min, max] = range;
        const inRange = isWhole
          ? fc.integer({ min, max })
          : fc.integer({ min: Math.round(min * 1000), max: Math.round(max * 1000) }).map((n) => n / 1000);
        return [key, off === undefined ? inRange : fc.oneof(fc.constant(off), inRange)];
      }),
    ),
  );

test.each(Object.keys(TOOLS))("%s", (name) => {
  const { base, inside, settings } = TOOLS[name]!;
  fc.assert(
    fc.property(valuesOf(TOOLS[name]!), (values) => {
      const root = inside === undefined ? { ...base, ...values } : { ...base, [inside]: values };
      const { text, notes } = importFile(textSource(JSON.stringify(root)), "settings.json", name);
      const { main, chains } = check({ name: "a.ggsl", text }).program!;
      const stages = flatten(main, chains[0]!, {});
      const stagesOf = ([names]: NonNullable<Documented["place"]>) => stages.filter((one) => names.includes(one.name));
      const isOn = (key: string): boolean => values[key] !== settings[key]!.off;
      for (const [key, { place, beside: other }] of Object.entries(settings)) {
        const noted = notes.filter((note) => note.key === (inside === undefined ? key : `${inside}.${key}`));
        if (!place) {
          if (isOn(key)) expect([key, noted.map(({ kind }) => kind)]).toEqual([key, ["lost"]]);
        } else if (isOn(key) && (other === undefined || isOn(other))) {
          const numbers = stagesOf(place).map(({ args }) => args[place[1]]);
          expect([key, numbers]).toEqual([key, expect.arrayContaining([values[key]])]);
          expect([key, noted]).toEqual([key, []]);
        } else {
          const sharing = Object.keys(settings).filter((k) =>
            settings[k]!.place?.[0].some((s) => place[0].includes(s)),
          );
          const isNeeded = sharing.some((k) => settings[k]!.beside === undefined && isOn(k));
          const always = place[0].filter((stage) => ALWAYS[name]?.includes(stage));
          if (!isNeeded) expect([key, stagesOf(place).map((stage) => stage.name)]).toEqual([key, always]);
        }
      }
    }),
    { numRuns: RUNS, seed: 20261127 },
  );
});
