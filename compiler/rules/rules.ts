/** The rules that lowering applies. */
import { certainKeep } from "./certain-keep.js";
import { impliedMask } from "./implied-mask.js";
import { noOpFilters } from "./no-op-filters.js";
import { orderFacts } from "./order-facts.js";
import type { Rule } from "../table/rule.js";
import { ratioPick } from "./ratio-pick.js";
import { scaleInvariance } from "./scale-invariance.js";
import { unnormalisedSelection } from "./unnormalised-selection.js";

export const RULES: readonly Rule[] = [
  orderFacts,
  impliedMask,
  noOpFilters,
  certainKeep,
  scaleInvariance,
  unnormalisedSelection,
  ratioPick,
];
