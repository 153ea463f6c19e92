// Server-sent events. `EventSource` cannot send a token, so the stream is read with `fetch`. Reconnects
// resume after the last received event.

import { withToken } from "./client";

export interface EventHandlers {
  onEvent: (name: string, data: string) => void;
  onConnection: (isConnected: boolean) => void;
}

const MIN_RETRY_MS = 500;
const MAX_RETRY_MS = 15_000;

/** Subscribes to events until the page is closed. */
export async function subscribe(path: string, { onEvent, onConnection }: EventHandlers): Promise<never> {
  let lastId = "";
  let retryMs = MIN_RETRY_MS;
  for (;;) {
    try {
      const headers = withToken({ Accept: "text/event-stream", ...(lastId && { "Last-Event-ID": lastId }) });
      const response = await fetch(path, { headers });
      if (!response.ok || !response.body) throw new Error(`status ${response.status}`);
      onConnection(true);
      retryMs = MIN_RETRY_MS;
      for await (const message of messages(response.body)) {
        if (message.id) lastId = message.id;
        onEvent(message.name, message.data);
      }
    } catch {
      // An interrupted stream is retried like one that ended.
    }
    onConnection(false);
    await new Promise((resolve) => setTimeout(resolve, retryMs));
    retryMs = Math.min(retryMs * 2, MAX_RETRY_MS);
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
  let buffer = "";
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return;
    buffer += decoder.decode(value, { stream: true });
    for (let end = buffer.indexOf("\n\n"); end >= 0; end = buffer.indexOf("\n\n")) {
      const message = parse(buffer.slice(0, end));
      buffer = buffer.slice(end + 2);
      if (message.data) yield message;
    }
  }
}

function parse(block: string): Message {
  const message: Message = { id: "", name: "message", data: "" };
  for (const line of block.split("\n")) {
    const colon = line.indexOf(":");
    if (colon <= 0) continue;
    const value = line.slice(colon + 1).replace(/^ /, "");
    const field = line.slice(0, colon);
    if (field === "id") message.id = value;
    else if (field === "event") message.name = value;
    else if (field === "data") message.data += (message.data && "\n") + value;
  }
  return message;
}
