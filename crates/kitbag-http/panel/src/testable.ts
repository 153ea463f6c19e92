// Functions that need no browser, bundled for the unit tests.

export { chunkKey, compare } from "./changes";
export { describeExtraFields, extraFieldsOf, fitsSliders, hasContent } from "./extra-fields";
export { commonFolder, folders } from "./folders";
export { compact, parseTokens, percent, timestamp } from "./format";
export { highlight } from "./highlight";
export { hintFor, titleFor } from "./problems";
export { squarify } from "./squarify";
export { visible, visibleLines } from "./visible";
export { rebalance, weightOptions, weightsOf } from "./weights";
export { reasonsFor } from "./why";
