/** The samplers that pick a token, and xtc, whose draws show in what is picked after it. */
import { GROUPS } from "./groups.js";
import { testSamplers } from "./suite.js";

testSamplers("samplers that pick", GROUPS.picks);
