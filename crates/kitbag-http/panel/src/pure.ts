// What the tests of single functions look at: everything here runs without a page.

export { changes, chunkKey } from "./changes";
export { commonFolder, folders } from "./folders";
export { highlight } from "./highlight";
export { clock, duration, share, tokens } from "./numbers";
export { squarify } from "./squarify";
export { visible, visibleLines } from "./visible";
export { rebalance, weightOptions, weightsOf, why } from "./weights";
