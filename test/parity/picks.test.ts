/** The samplers that pick a token; and xtc, whose draws show in the pick after it. */
import { GROUPS } from "./groups.js";
import { testSamplers } from "./suite.js";

testSamplers("samplers that pick", GROUPS.picks);
