// Functions that need no browser, bundled for the unit tests.

export { chunkKey, compare } from "./changes";
export { curveOf, expectedRelevant, gainAt, valueAt } from "./curve";
export { exclude, expand, globOf, pin, pinOf, referenceTo } from "./edits";
export { placeOf } from "./file-place";
export { EMPTY_FORM, describeExtraFields, extraFieldsOf, fitsSliders, fromRequest, hasContent, isSameRequest, problemOf, toRequest } from "./form";
export { commonFolder, distinguishingFolders, folders } from "./folders";
export { compact, money, parseTokens, percent, relevance, timestamp } from "./format";
export { packFragment, readFragment, requestFragment } from "./fragment";
export { toLines } from "./highlight-lines";
export { hintFor, titleFor } from "./problems";
export { orderNote, reasonGroups, stopSentence } from "./stop";
export { treeOf } from "./tree";
export { splitInvisible, visible, visibleLines } from "./visible";
export { rebalance, weightOptions, weightsOf } from "./weights";
export { reasonsFor } from "./why";
