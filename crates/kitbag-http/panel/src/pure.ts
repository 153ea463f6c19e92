// What the tests of single functions look at: everything here runs without a page.

export { beyondForm, carriedFields, fitSliders, isEnough, withoutWeights } from "./carried";
export { changes, chunkKey } from "./changes";
export { commonFolder, folders } from "./folders";
export { highlight } from "./highlight";
export { clock, compact, duration, share, tokens } from "./numbers";
export { hintOf, titleOf } from "./problems";
export { squarify } from "./squarify";
export { visible, visibleLines } from "./visible";
export { rebalance, settingWeights, weightOptions, weightsOf } from "./weights";
export { why } from "./why";
