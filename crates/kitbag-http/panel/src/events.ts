// The live feed: server-sent events, read by `fetch` so that a token can be sent along. It goes on
// from the last event after a break, and never gives up.

import { headers } from "./api";

export interface Listening {
  onEvent: (name: string, data: string) => void;
  onState: (isLive: boolean) => void;
}

const FIRST_WAIT = 500;
const LONGEST_WAIT = 15_000;

/** Listens until the page is closed. */
export async function listen(path: string, { onEvent, onState }: Listening): Promise<never> {
  let lastId = "";
  let wait = FIRST_WAIT;
  for (;;) {
    try {
      const sent = headers({ Accept: "text/event-stream", ...(lastId && { "Last-Event-ID": lastId }) });
      const response = await fetch(path, { headers: sent });
      if (!response.ok || !response.body) throw new Error(`status ${response.status}`);
      onState(true);
      wait = FIRST_WAIT;
      for await (const event of messages(response.body)) {
        if (event.id) lastId = event.id;
        onEvent(event.name, event.data);
      }
    } catch {
      // A broken stream is one that ended early: both are tried again.
    }
    onState(false);
    await new Promise((resolve) => setTimeout(resolve, wait));
    wait = Math.min(wait * 2, LONGEST_WAIT);
  }
}

interface Message {
  id: string;
  name: string;
  data: string;
}

async function* messages(body: ReadableStream<Uint8Array>): AsyncGenerator<Message> {
  const reader = body.getReader();
  const decoder = new TextDecoder();
  let text = "";
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return;
    text += decoder.decode(value, { stream: true });
    for (let end = text.indexOf("\n\n"); end >= 0; end = text.indexOf("\n\n")) {
      const message = read(text.slice(0, end));
      text = text.slice(end + 2);
      if (message.data) yield message;
    }
  }
}

function read(block: string): Message {
  const message: Message = { id: "", name: "message", data: "" };
  for (const line of block.split("\n")) {
    const cut = line.indexOf(":");
    if (cut <= 0) continue;
    const value = line.slice(cut + 1).replace(/^ /, "");
    const field = line.slice(0, cut);
    if (field === "id") message.id = value;
    else if (field === "event") message.name = value;
    else if (field === "data") message.data += (message.data && "\n") + value;
  }
  return message;
}
