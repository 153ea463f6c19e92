// Pictures of the page for its documentation, on three sizes of screens, in light and dark mode.

import { test } from "node:test";
import { makeKitbag } from "./fixture.mjs";
import { packByApi, packTask, startSuite } from "./support.mjs";

const { PANEL_HOME, PANEL_ROOT, PANEL_SHOTS } = process.env;
const all = startSuite(() => [makeKitbag(PANEL_HOME, PANEL_ROOT)]);
const TASK = "how does selection keep a pack within its budget when a chunk does not fit?";

for (const colorScheme of ["light", "dark"]) {
  for (const [width, height] of [[1440, 900], [768, 1024], [390, 844]]) {
    test(`a picture at ${width}, ${colorScheme}`, () => all.withPage({ colorScheme, reducedMotion: "reduce", viewport: { width, height } }, async (page) => {
      await packByApi(all.address, { task: "where is the overflow policy applied?", repo: "kitbag", budget: 12000, agent_id: "claude-code" });
      await page.fill("#price", "2.5");
      for (const budget of ["4k", "8k"]) await packTask(page, { repo: "kitbag", budget, task: TASK });
      await page.waitForSelector("#changes-summary .added");
      await page.evaluate(() => document.activeElement.blur());
      if (width >= 1100) await page.waitForSelector(".line.own .t-keyword");
      if (width < 700) await page.evaluate(() => document.getElementById("result").scrollIntoView());
      await page.mouse.move(0, 0);
      await page.screenshot({ path: `${PANEL_SHOTS}/page-${width}-${colorScheme}.png` });
    }));
  }
}
