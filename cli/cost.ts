/** The estimated cost of a graph as text. */
import type { Cost } from "@ggsl/compiler/graph/cost.js";

/** The estimate that limits refer to. */
export const costText = ({ work, sorts, deviceBytes, hostBytes, uploadBytes }: Cost): string =>
  [
    `cost of a token: ${work} rows computed`,
    `${sorts} ${sorts === 1 ? "sort" : "sorts"} of the vocabulary`,
    `${deviceBytes} bytes of device memory`,
    ...(hostBytes > 0 ? [`${hostBytes} bytes for the host tail`] : []),
    `${uploadBytes} bytes written to the device`,
  ].join(", ");
