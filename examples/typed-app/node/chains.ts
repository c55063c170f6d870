/* eslint-disable */
// Made by `ggsl gen ../chains.ggsl -o chains.ts`; do not edit.
import { chainOf, fromSpec, type Chain } from "ggsl";

/**
 * Uniforms of the chain `story`. Each may be set before every token.
 */
export interface StoryUniforms {
  /**
   * A number in [0, 2]; 0.8 unless set. In `temp(t)`.
   */
  readonly t?: number;
  /**
   * A number >= 0; 1 unless set. In `prefer(strength)`.
   */
  readonly strength?: number;
  /**
   * A seed, an integer from 0 to 4294967295; a new one for each sequence unless set. In `dist(seed)`.
   */
  readonly seed?: number;
}

/**
 * Inputs of the chain `story`, which the calling program gives it.
 */
export interface StoryInputs {
  /**
   * How much the reader likes a token; 0 has no effect.
   *
   * Numbers for at most 64 tokens, by token; 0 for the others.
   */
  readonly liked: ReadonlyMap<number, number>;
}

/**
 * Numbers that a sequence of the chain `story` remembers from token to token.
 */
export type StoryStates = readonly [];

/**
 * What the chain `story` takes and remembers.
 */
export interface StoryTypes {
  readonly uniforms: StoryUniforms;
  readonly inputs: StoryInputs;
  readonly states: StoryStates;
}

/**
 * A story that prefers words that the reader likes.
 */
export const story: Chain<StoryTypes> = /* @__PURE__ */ chainOf<StoryTypes>(/* @__PURE__ */ fromSpec({
    "ggsl": 2,
    "name": "story",
    "nodes": [
      {"op":"input","inputs":[],"attrs":{"index":0,"dtype":"f32","dim":"V"},"dtype":"f32","dim":"V","name":"logits"},
      {"op":"clamp","inputs":[0],"attrs":{"lo":-1e+30,"hi":1e+30},"dtype":"f32","dim":"V","name":"logit","origin":{"stage":0,"file":"chains.ggsl","line":8,"column":3}},
      {"op":"input","inputs":[],"attrs":{"index":1,"dtype":"i32","dim":64},"dtype":"i32","dim":64,"origin":{"stage":0,"file":"chains.ggsl","line":8,"column":3}},
      {"op":"input","inputs":[],"attrs":{"index":2,"dtype":"f32","dim":64},"dtype":"f32","dim":64,"origin":{"stage":0,"file":"chains.ggsl","line":8,"column":3}},
      {"op":"uniform","inputs":[],"attrs":{"index":0},"dtype":"f32","dim":1,"origin":{"stage":0,"file":"chains.ggsl","line":8,"column":3}},
      {"op":"get_rows","inputs":[1,2],"attrs":{},"dtype":"f32","dim":64,"origin":{"stage":0,"file":"chains.ggsl","line":8,"column":3}},
      {"op":"mul","inputs":[3,4],"attrs":{},"dtype":"f32","dim":64,"origin":{"stage":0,"file":"chains.ggsl","line":8,"column":3}},
      {"op":"clamp","inputs":[6],"attrs":{"lo":-1e+27,"hi":1e+27},"dtype":"f32","dim":64,"origin":{"stage":0,"file":"chains.ggsl","line":8,"column":3}},
      {"op":"add","inputs":[5,7],"attrs":{},"dtype":"f32","dim":64,"origin":{"stage":0,"file":"chains.ggsl","line":8,"column":3}},
      {"op":"set_rows","inputs":[1,8,2],"attrs":{},"dtype":"f32","dim":"V","origin":{"stage":0,"file":"chains.ggsl","line":8,"column":3}},
      {"op":"top_k","inputs":[9],"attrs":{"k":40},"dtype":"i32","dim":40,"origin":{"stage":1,"file":"std/top_k.ggsl","line":4,"column":14}},
      {"op":"get_rows","inputs":[9,10],"attrs":{},"dtype":"f32","dim":40,"origin":{"stage":1,"file":"std/top_k.ggsl","line":4,"column":14}},
      {"op":"argsort","inputs":[11],"attrs":{"order":"desc"},"dtype":"i32","dim":40,"origin":{"stage":1,"file":"std/top_k.ggsl","line":4,"column":14}},
      {"op":"get_rows","inputs":[10,12],"attrs":{},"dtype":"i32","dim":40,"origin":{"stage":1,"file":"std/top_k.ggsl","line":4,"column":14}},
      {"op":"get_rows","inputs":[11,12],"attrs":{},"dtype":"f32","dim":40,"origin":{"stage":1,"file":"std/top_k.ggsl","line":4,"column":14}},
      {"op":"get_rows","inputs":[0,13],"attrs":{},"dtype":"f32","dim":40,"origin":{"stage":1,"file":"std/top_k.ggsl","line":4,"column":14}},
      {"op":"view","inputs":[14],"attrs":{"offset":0,"count":1},"dtype":"f32","dim":1,"origin":{"stage":2,"file":"std/min_p.ggsl","line":6,"column":5}},
      {"op":"scale","inputs":[16],"attrs":{"s":1,"b":-2.99573225865283},"dtype":"f32","dim":1,"origin":{"stage":2,"file":"std/min_p.ggsl","line":6,"column":5}},
      {"op":"sub","inputs":[14,17],"attrs":{},"dtype":"f32","dim":40,"origin":{"stage":2,"file":"std/min_p.ggsl","line":6,"column":5}},
      {"op":"scale","inputs":[18],"attrs":{"s":1.2676506002282294e+30,"b":8.673617379884035e-19},"dtype":"f32","dim":40,"origin":{"stage":2,"file":"std/min_p.ggsl","line":6,"column":5}},
      {"op":"step","inputs":[19],"attrs":{},"dtype":"f32","dim":40,"origin":{"stage":2,"file":"std/min_p.ggsl","line":6,"column":5}},
      {"op":"arange","inputs":[],"attrs":{"dim":40},"dtype":"f32","dim":40,"origin":{"stage":3,"file":"std/temp.ggsl","line":5,"column":3}},
      {"op":"scale","inputs":[21],"attrs":{"s":-1,"b":1},"dtype":"f32","dim":40,"origin":{"stage":3,"file":"std/temp.ggsl","line":5,"column":3}},
      {"op":"step","inputs":[22],"attrs":{},"dtype":"f32","dim":40,"origin":{"stage":3,"file":"std/temp.ggsl","line":5,"column":3}},
      {"op":"uniform","inputs":[],"attrs":{"index":1},"dtype":"f32","dim":1,"origin":{"stage":3,"file":"std/temp.ggsl","line":5,"column":3}},
      {"op":"add","inputs":[23,24],"attrs":{},"dtype":"f32","dim":40,"origin":{"stage":3,"file":"std/temp.ggsl","line":5,"column":3}},
      {"op":"clamp","inputs":[25],"attrs":{"lo":0,"hi":1},"dtype":"f32","dim":40,"origin":{"stage":3,"file":"std/temp.ggsl","line":5,"column":3}},
      {"op":"mul","inputs":[20,26],"attrs":{},"dtype":"f32","dim":40,"origin":{"stage":3,"file":"std/temp.ggsl","line":5,"column":3}},
      {"op":"uniform","inputs":[],"attrs":{"index":2},"dtype":"f32","dim":1,"origin":{"stage":3,"file":"std/temp.ggsl","line":7,"column":3}},
      {"op":"div","inputs":[14,28],"attrs":{},"dtype":"f32","dim":40,"origin":{"stage":3,"file":"std/temp.ggsl","line":7,"column":3}},
      {"op":"clamp","inputs":[29],"attrs":{"lo":-1e+31,"hi":1e+31},"dtype":"f32","dim":40,"origin":{"stage":3,"file":"std/temp.ggsl","line":7,"column":3}},
      {"op":"scale","inputs":[15],"attrs":{"s":1,"b":9e+29},"dtype":"f32","dim":40,"origin":{"stage":3,"file":"std/temp.ggsl","line":7,"column":3}},
      {"op":"step","inputs":[31],"attrs":{},"dtype":"f32","dim":40,"origin":{"stage":3,"file":"std/temp.ggsl","line":7,"column":3}},
      {"op":"mul","inputs":[27,32],"attrs":{},"dtype":"f32","dim":40,"origin":{"stage":3,"file":"std/temp.ggsl","line":7,"column":3}},
      {"op":"scale","inputs":[33],"attrs":{"s":1e+33,"b":-1e+33},"dtype":"f32","dim":40,"origin":{"stage":4,"file":"std/dist.ggsl","line":4,"column":3}},
      {"op":"soft_max","inputs":[30,34],"attrs":{},"dtype":"f32","dim":40,"origin":{"stage":4,"file":"std/dist.ggsl","line":4,"column":3}},
      {"op":"cumsum","inputs":[35],"attrs":{},"dtype":"f32","dim":40,"origin":{"stage":4,"file":"std/dist.ggsl","line":4,"column":3}},
      {"op":"view","inputs":[36],"attrs":{"offset":-1,"count":1},"dtype":"f32","dim":1,"origin":{"stage":4,"file":"std/dist.ggsl","line":4,"column":3}},
      {"op":"uniform","inputs":[],"attrs":{"index":3},"dtype":"f32","dim":1,"origin":{"stage":4,"file":"std/dist.ggsl","line":4,"column":3}},
      {"op":"mul","inputs":[37,38],"attrs":{},"dtype":"f32","dim":1,"origin":{"stage":4,"file":"std/dist.ggsl","line":4,"column":3}},
      {"op":"sub","inputs":[36,39],"attrs":{},"dtype":"f32","dim":40,"origin":{"stage":4,"file":"std/dist.ggsl","line":4,"column":3}},
      {"op":"div","inputs":[35,40],"attrs":{},"dtype":"f32","dim":40,"origin":{"stage":4,"file":"std/dist.ggsl","line":4,"column":3}},
      {"op":"argmax","inputs":[41],"attrs":{},"dtype":"i32","dim":1,"origin":{"stage":4,"file":"std/dist.ggsl","line":4,"column":3}},
      {"op":"get_rows","inputs":[13,42],"attrs":{},"dtype":"i32","dim":1,"name":"token","origin":{"stage":4,"file":"std/dist.ggsl","line":4,"column":3}}
    ],
    "params": [
      {"name":"t","type":"f32","default":0.8,"range":{"min":0,"max":2}},
      {"name":"strength","type":"f32","default":1,"range":{"min":0}},
      {"name":"seed","type":"seed","default":"random","range":{}}
    ],
    "draws": [
      {"kind":"f64","seed":{"param":"seed"}}
    ],
    "states": [],
    "measures": [],
    "uniforms": [
      {"name":"strength","expr":{"param":"strength"}},
      {"name":"gt(t, 0)","expr":["gt",{"param":"t"},0]},
      {"name":"select(gt(t, 0), min(max(t, 1e-20), 100000000000000000000), 1)","expr":["select",["gt",{"param":"t"},0],["min",["max",{"param":"t"},1e-20],100000000000000000000],1]},
      {"name":"min(draw0, 0.9999990463256836)","expr":["min",{"draw":0},0.9999990463256836]}
    ],
    "inputs": [
      {"name":"logits","dtype":"f32","dim":"V","source":{"kind":"logits"}},
      {"name":"liked.ids","dtype":"i32","dim":64,"source":{"kind":"ids","feature":0}},
      {"name":"liked.values","dtype":"f32","dim":64,"source":{"kind":"values","feature":0}}
    ],
    "features": [
      {"form":{"kind":"sparse","capacity":64,"fill":0},"from":{"kind":"input","name":"liked"}}
    ],
    "stages": [
      {"name":"prefer(strength)","origin":{"file":"chains.ggsl","line":20,"column":3},"rows":"V"},
      {"name":"top_k(40)","origin":{"file":"chains.ggsl","line":20,"column":23},"rows":40,"drops":["top k"]},
      {"name":"min_p(0.05)","origin":{"file":"chains.ggsl","line":20,"column":36},"rows":40,"drops":["keep logit >= max(logit) + log(p) at least max(1, min_keep)"]},
      {"name":"temp(t)","origin":{"file":"chains.ggsl","line":20,"column":51},"rows":40,"drops":["keep t > 0"]},
      {"name":"dist(seed)","origin":{"file":"chains.ggsl","line":20,"column":62},"rows":40}
    ],
    "tail": [],
    "outputs": {"sampled":43}
  }), /* @__PURE__ */ fromSpec({
    "ggsl": 2,
    "name": "story",
    "nodes": [
      {"op":"input","inputs":[],"attrs":{"index":0,"dtype":"f32","dim":"V"},"dtype":"f32","dim":"V","name":"logits"},
      {"op":"clamp","inputs":[0],"attrs":{"lo":-1e+30,"hi":1e+30},"dtype":"f32","dim":"V","name":"logit","origin":{"stage":0,"file":"chains.ggsl","line":8,"column":3}},
      {"op":"input","inputs":[],"attrs":{"index":1,"dtype":"i32","dim":64},"dtype":"i32","dim":64,"origin":{"stage":0,"file":"chains.ggsl","line":8,"column":3}},
      {"op":"input","inputs":[],"attrs":{"index":2,"dtype":"f32","dim":64},"dtype":"f32","dim":64,"origin":{"stage":0,"file":"chains.ggsl","line":8,"column":3}},
      {"op":"uniform","inputs":[],"attrs":{"index":0},"dtype":"f32","dim":1,"origin":{"stage":0,"file":"chains.ggsl","line":8,"column":3}},
      {"op":"get_rows","inputs":[1,2],"attrs":{},"dtype":"f32","dim":64,"origin":{"stage":0,"file":"chains.ggsl","line":8,"column":3}},
      {"op":"mul","inputs":[3,4],"attrs":{},"dtype":"f32","dim":64,"origin":{"stage":0,"file":"chains.ggsl","line":8,"column":3}},
      {"op":"clamp","inputs":[6],"attrs":{"lo":-1e+27,"hi":1e+27},"dtype":"f32","dim":64,"origin":{"stage":0,"file":"chains.ggsl","line":8,"column":3}},
      {"op":"add","inputs":[5,7],"attrs":{},"dtype":"f32","dim":64,"origin":{"stage":0,"file":"chains.ggsl","line":8,"column":3}},
      {"op":"set_rows","inputs":[1,8,2],"attrs":{},"dtype":"f32","dim":"V","origin":{"stage":0,"file":"chains.ggsl","line":8,"column":3}},
      {"op":"top_k","inputs":[9],"attrs":{"k":40},"dtype":"i32","dim":40,"origin":{"stage":1,"file":"std/top_k.ggsl","line":4,"column":14}},
      {"op":"get_rows","inputs":[9,10],"attrs":{},"dtype":"f32","dim":40,"origin":{"stage":1,"file":"std/top_k.ggsl","line":4,"column":14}},
      {"op":"argsort","inputs":[11],"attrs":{"order":"desc"},"dtype":"i32","dim":40,"origin":{"stage":1,"file":"std/top_k.ggsl","line":4,"column":14}},
      {"op":"get_rows","inputs":[10,12],"attrs":{},"dtype":"i32","dim":40,"origin":{"stage":1,"file":"std/top_k.ggsl","line":4,"column":14}},
      {"op":"get_rows","inputs":[11,12],"attrs":{},"dtype":"f32","dim":40,"origin":{"stage":1,"file":"std/top_k.ggsl","line":4,"column":14}},
      {"op":"get_rows","inputs":[0,13],"attrs":{},"dtype":"f32","dim":40,"origin":{"stage":1,"file":"std/top_k.ggsl","line":4,"column":14}},
      {"op":"view","inputs":[14],"attrs":{"offset":0,"count":1},"dtype":"f32","dim":1,"origin":{"stage":2,"file":"std/min_p.ggsl","line":6,"column":5}},
      {"op":"scale","inputs":[16],"attrs":{"s":1,"b":-2.99573225865283},"dtype":"f32","dim":1,"origin":{"stage":2,"file":"std/min_p.ggsl","line":6,"column":5}},
      {"op":"sub","inputs":[14,17],"attrs":{},"dtype":"f32","dim":40,"origin":{"stage":2,"file":"std/min_p.ggsl","line":6,"column":5}},
      {"op":"scale","inputs":[18],"attrs":{"s":1.2676506002282294e+30,"b":8.673617379884035e-19},"dtype":"f32","dim":40,"origin":{"stage":2,"file":"std/min_p.ggsl","line":6,"column":5}},
      {"op":"step","inputs":[19],"attrs":{},"dtype":"f32","dim":40,"origin":{"stage":2,"file":"std/min_p.ggsl","line":6,"column":5}},
      {"op":"arange","inputs":[],"attrs":{"dim":40},"dtype":"f32","dim":40,"origin":{"stage":3,"file":"std/temp.ggsl","line":5,"column":3}},
      {"op":"scale","inputs":[21],"attrs":{"s":-1,"b":1},"dtype":"f32","dim":40,"origin":{"stage":3,"file":"std/temp.ggsl","line":5,"column":3}},
      {"op":"step","inputs":[22],"attrs":{},"dtype":"f32","dim":40,"origin":{"stage":3,"file":"std/temp.ggsl","line":5,"column":3}},
      {"op":"uniform","inputs":[],"attrs":{"index":1},"dtype":"f32","dim":1,"origin":{"stage":3,"file":"std/temp.ggsl","line":5,"column":3}},
      {"op":"add","inputs":[23,24],"attrs":{},"dtype":"f32","dim":40,"origin":{"stage":3,"file":"std/temp.ggsl","line":5,"column":3}},
      {"op":"clamp","inputs":[25],"attrs":{"lo":0,"hi":1},"dtype":"f32","dim":40,"origin":{"stage":3,"file":"std/temp.ggsl","line":5,"column":3}},
      {"op":"mul","inputs":[20,26],"attrs":{},"dtype":"f32","dim":40,"origin":{"stage":3,"file":"std/temp.ggsl","line":5,"column":3}},
      {"op":"uniform","inputs":[],"attrs":{"index":2},"dtype":"f32","dim":1,"origin":{"stage":3,"file":"std/temp.ggsl","line":7,"column":3}},
      {"op":"div","inputs":[14,28],"attrs":{},"dtype":"f32","dim":40,"origin":{"stage":3,"file":"std/temp.ggsl","line":7,"column":3}},
      {"op":"clamp","inputs":[29],"attrs":{"lo":-1e+31,"hi":1e+31},"dtype":"f32","dim":40,"origin":{"stage":3,"file":"std/temp.ggsl","line":7,"column":3}},
      {"op":"scale","inputs":[15],"attrs":{"s":1,"b":9e+29},"dtype":"f32","dim":40,"origin":{"stage":3,"file":"std/temp.ggsl","line":7,"column":3}},
      {"op":"step","inputs":[31],"attrs":{},"dtype":"f32","dim":40,"origin":{"stage":3,"file":"std/temp.ggsl","line":7,"column":3}},
      {"op":"mul","inputs":[27,32],"attrs":{},"dtype":"f32","dim":40,"origin":{"stage":3,"file":"std/temp.ggsl","line":7,"column":3}},
      {"op":"scale","inputs":[33],"attrs":{"s":1e+33,"b":-1e+33},"dtype":"f32","dim":40,"origin":{"stage":4,"file":"std/dist.ggsl","line":4,"column":3}},
      {"op":"soft_max","inputs":[30,34],"attrs":{},"dtype":"f32","dim":40,"origin":{"stage":4,"file":"std/dist.ggsl","line":4,"column":3}},
      {"op":"cumsum","inputs":[35],"attrs":{},"dtype":"f32","dim":40,"origin":{"stage":4,"file":"std/dist.ggsl","line":4,"column":3}},
      {"op":"view","inputs":[36],"attrs":{"offset":-1,"count":1},"dtype":"f32","dim":1,"origin":{"stage":4,"file":"std/dist.ggsl","line":4,"column":3}},
      {"op":"uniform","inputs":[],"attrs":{"index":3},"dtype":"f32","dim":1,"origin":{"stage":4,"file":"std/dist.ggsl","line":4,"column":3}},
      {"op":"mul","inputs":[37,38],"attrs":{},"dtype":"f32","dim":1,"origin":{"stage":4,"file":"std/dist.ggsl","line":4,"column":3}},
      {"op":"sub","inputs":[36,39],"attrs":{},"dtype":"f32","dim":40,"origin":{"stage":4,"file":"std/dist.ggsl","line":4,"column":3}},
      {"op":"div","inputs":[35,40],"attrs":{},"dtype":"f32","dim":40,"origin":{"stage":4,"file":"std/dist.ggsl","line":4,"column":3}},
      {"op":"argmax","inputs":[41],"attrs":{},"dtype":"i32","dim":1,"origin":{"stage":4,"file":"std/dist.ggsl","line":4,"column":3}},
      {"op":"get_rows","inputs":[13,42],"attrs":{},"dtype":"i32","dim":1,"name":"token","origin":{"stage":4,"file":"std/dist.ggsl","line":4,"column":3}},
      {"op":"log","inputs":[33],"attrs":{},"dtype":"f32","dim":40},
      {"op":"add","inputs":[30,44],"attrs":{},"dtype":"f32","dim":40,"name":"logits"}
    ],
    "params": [
      {"name":"t","type":"f32","default":0.8,"range":{"min":0,"max":2}},
      {"name":"strength","type":"f32","default":1,"range":{"min":0}},
      {"name":"seed","type":"seed","default":"random","range":{}}
    ],
    "draws": [
      {"kind":"f64","seed":{"param":"seed"}}
    ],
    "states": [],
    "measures": [],
    "uniforms": [
      {"name":"strength","expr":{"param":"strength"}},
      {"name":"gt(t, 0)","expr":["gt",{"param":"t"},0]},
      {"name":"select(gt(t, 0), min(max(t, 1e-20), 100000000000000000000), 1)","expr":["select",["gt",{"param":"t"},0],["min",["max",{"param":"t"},1e-20],100000000000000000000],1]},
      {"name":"min(draw0, 0.9999990463256836)","expr":["min",{"draw":0},0.9999990463256836]}
    ],
    "inputs": [
      {"name":"logits","dtype":"f32","dim":"V","source":{"kind":"logits"}},
      {"name":"liked.ids","dtype":"i32","dim":64,"source":{"kind":"ids","feature":0}},
      {"name":"liked.values","dtype":"f32","dim":64,"source":{"kind":"values","feature":0}}
    ],
    "features": [
      {"form":{"kind":"sparse","capacity":64,"fill":0},"from":{"kind":"input","name":"liked"}}
    ],
    "stages": [
      {"name":"prefer(strength)","origin":{"file":"chains.ggsl","line":20,"column":3},"rows":"V"},
      {"name":"top_k(40)","origin":{"file":"chains.ggsl","line":20,"column":23},"rows":40,"drops":["top k"]},
      {"name":"min_p(0.05)","origin":{"file":"chains.ggsl","line":20,"column":36},"rows":40,"drops":["keep logit >= max(logit) + log(p) at least max(1, min_keep)"]},
      {"name":"temp(t)","origin":{"file":"chains.ggsl","line":20,"column":51},"rows":40,"drops":["keep t > 0"]},
      {"name":"dist(seed)","origin":{"file":"chains.ggsl","line":20,"column":62},"rows":40}
    ],
    "tail": [],
    "outputs": {"sampled":43,"candidates":13,"logits":45,"probs":35}
  }));

/**
 * Uniforms of the chain `shortlist`. Each may be set before every token.
 */
export interface ShortlistUniforms {
  /**
   * A number in [0, 2]; 1 unless set. In `temp(t)`.
   */
  readonly t?: number;
}

/**
 * Inputs of the chain `shortlist`, which the calling program gives it.
 */
export type ShortlistInputs = Readonly<Record<string, never>>;

/**
 * Numbers that a sequence of the chain `shortlist` remembers from token to token.
 */
export type ShortlistStates = readonly [];

/**
 * What the chain `shortlist` takes and remembers.
 */
export interface ShortlistTypes {
  readonly uniforms: ShortlistUniforms;
  readonly inputs: ShortlistInputs;
  readonly states: ShortlistStates;
}

/**
 * The three best tokens; does not pick.
 */
export const shortlist: Chain<ShortlistTypes> = /* @__PURE__ */ chainOf<ShortlistTypes>(/* @__PURE__ */ fromSpec({
    "ggsl": 2,
    "name": "shortlist",
    "nodes": [
      {"op":"input","inputs":[],"attrs":{"index":0,"dtype":"f32","dim":"V"},"dtype":"f32","dim":"V","name":"logits"},
      {"op":"top_k","inputs":[0],"attrs":{"k":3},"dtype":"i32","dim":3,"origin":{"stage":0,"file":"std/top_k.ggsl","line":4,"column":14}},
      {"op":"get_rows","inputs":[0,1],"attrs":{},"dtype":"f32","dim":3,"origin":{"stage":0,"file":"std/top_k.ggsl","line":4,"column":14}},
      {"op":"clamp","inputs":[2],"attrs":{"lo":-1e+30,"hi":1e+30},"dtype":"f32","dim":3,"name":"logit","origin":{"stage":0,"file":"std/top_k.ggsl","line":4,"column":14}},
      {"op":"argsort","inputs":[3],"attrs":{"order":"desc"},"dtype":"i32","dim":3,"origin":{"stage":0,"file":"std/top_k.ggsl","line":4,"column":14}},
      {"op":"get_rows","inputs":[1,4],"attrs":{},"dtype":"i32","dim":3,"origin":{"stage":0,"file":"std/top_k.ggsl","line":4,"column":14}},
      {"op":"get_rows","inputs":[3,4],"attrs":{},"dtype":"f32","dim":3,"origin":{"stage":0,"file":"std/top_k.ggsl","line":4,"column":14}},
      {"op":"arange","inputs":[],"attrs":{"dim":3},"dtype":"f32","dim":3,"origin":{"stage":1,"file":"std/temp.ggsl","line":5,"column":3}},
      {"op":"scale","inputs":[7],"attrs":{"s":-1,"b":1},"dtype":"f32","dim":3,"origin":{"stage":1,"file":"std/temp.ggsl","line":5,"column":3}},
      {"op":"step","inputs":[8],"attrs":{},"dtype":"f32","dim":3,"origin":{"stage":1,"file":"std/temp.ggsl","line":5,"column":3}},
      {"op":"uniform","inputs":[],"attrs":{"index":0},"dtype":"f32","dim":1,"origin":{"stage":1,"file":"std/temp.ggsl","line":5,"column":3}},
      {"op":"add","inputs":[9,10],"attrs":{},"dtype":"f32","dim":3,"origin":{"stage":1,"file":"std/temp.ggsl","line":5,"column":3}},
      {"op":"clamp","inputs":[11],"attrs":{"lo":0,"hi":1},"dtype":"f32","dim":3,"origin":{"stage":1,"file":"std/temp.ggsl","line":5,"column":3}},
      {"op":"uniform","inputs":[],"attrs":{"index":1},"dtype":"f32","dim":1,"origin":{"stage":1,"file":"std/temp.ggsl","line":7,"column":3}},
      {"op":"div","inputs":[6,13],"attrs":{},"dtype":"f32","dim":3,"origin":{"stage":1,"file":"std/temp.ggsl","line":7,"column":3}},
      {"op":"clamp","inputs":[14],"attrs":{"lo":-1e+31,"hi":1e+31},"dtype":"f32","dim":3,"origin":{"stage":1,"file":"std/temp.ggsl","line":7,"column":3}},
      {"op":"scale","inputs":[6],"attrs":{"s":1,"b":9e+29},"dtype":"f32","dim":3,"origin":{"stage":1,"file":"std/temp.ggsl","line":7,"column":3}},
      {"op":"step","inputs":[16],"attrs":{},"dtype":"f32","dim":3,"origin":{"stage":1,"file":"std/temp.ggsl","line":7,"column":3}},
      {"op":"mul","inputs":[12,17],"attrs":{},"dtype":"f32","dim":3,"origin":{"stage":1,"file":"std/temp.ggsl","line":7,"column":3}},
      {"op":"log","inputs":[18],"attrs":{},"dtype":"f32","dim":3},
      {"op":"add","inputs":[15,19],"attrs":{},"dtype":"f32","dim":3,"name":"logits"},
      {"op":"scale","inputs":[18],"attrs":{"s":1e+33,"b":-1e+33},"dtype":"f32","dim":3},
      {"op":"soft_max","inputs":[15,21],"attrs":{},"dtype":"f32","dim":3}
    ],
    "params": [
      {"name":"t","type":"f32","default":1,"range":{"min":0,"max":2}}
    ],
    "draws": [],
    "states": [],
    "measures": [],
    "uniforms": [
      {"name":"gt(t, 0)","expr":["gt",{"param":"t"},0]},
      {"name":"select(gt(t, 0), min(max(t, 1e-20), 100000000000000000000), 1)","expr":["select",["gt",{"param":"t"},0],["min",["max",{"param":"t"},1e-20],100000000000000000000],1]}
    ],
    "inputs": [
      {"name":"logits","dtype":"f32","dim":"V","source":{"kind":"logits"}}
    ],
    "features": [],
    "stages": [
      {"name":"top_k(3)","origin":{"file":"chains.ggsl","line":23,"column":41},"rows":3,"drops":["top k"]},
      {"name":"temp(t)","origin":{"file":"chains.ggsl","line":23,"column":53},"rows":3,"drops":["keep t > 0"]}
    ],
    "tail": [],
    "outputs": {"candidates":5,"logits":20,"probs":22}
  }));
