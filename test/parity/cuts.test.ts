/** The samplers that drop rows by their logits or probabilities. */
import { GROUPS } from "./groups.js";
import { testSamplers } from "./suite.js";

testSamplers("samplers that cut", GROUPS.cuts);
