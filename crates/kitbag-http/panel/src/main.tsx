// Entry point: renders the page, loads the choices of the form, and subscribes to events.

import { render } from "preact";
import { loadExamples, loadServer, orEmpty } from "./choices";
import * as client from "./client";
import { subscribe } from "./events";
import { addToFeed, restore } from "./session";
import { getState, update, withTasks } from "./store";
import { startTheme } from "./theme";
import type { PackSummary } from "./types";
import { App } from "./views/app";
import { applyWrap } from "./views/code";

startTheme();
applyWrap();
render(<App onStart={() => void start()} />, document.getElementById("app") as HTMLElement);
window.addEventListener("popstate", () => void restore());
void start();
void subscribe("/v1/events", { onEvent, onConnection });

async function start(): Promise<void> {
  if (!(await loadServer())) return;
  // A pack that was opened in the meantime is not replaced.
  const { isBusy, shown } = getState();
  if (!isBusy && !shown) await restore();
  addToFeed(await orEmpty(client.recentPacks()));
  if (!getState().shown) void loadExamples();
}

function onEvent(name: string, data: string): void {
  if (name === "context_assembled") return addToFeed([JSON.parse(data) as PackSummary]);
  // Otherwise events were missed, or the server restarted and has lost its packs.
  refreshFeed(name === "restarted");
}

function onConnection(isConnected: boolean): void {
  const { problem, connection } = getState();
  // An error about the connection ends with it.
  const isOver = isConnected && problem !== null && problem.status === 0;
  update({ connection: isConnected ? "live" : "lost", ...(isOver && { problem: null }) });
  if (!isConnected) return;
  if (connection === "lost") void loadServer();
  refreshFeed();
}

/** Loads the feed. After a restart, earlier entries can no longer be opened, unless there is a record of them. */
function refreshFeed(isRestarted = false): void {
  const add = (packs: PackSummary[]) => {
    const { feed } = getState();
    const known = withTasks(feed, packs);
    if (isRestarted) update({ feed: known });
    else addToFeed(known);
  };
  void client.recentPacks().then(add, () => isRestarted && update({ feed: [] }));
}
