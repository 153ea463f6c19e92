// An agent that can ask for code: a tool loop against any server with OpenAI's chat completions.
//
//   OPENAI_BASE_URL=http://127.0.0.1:8000/v1 OPENAI_API_KEY=... node tool_loop.mjs "how are redirects followed?" REPO

import { Engine, KitbagError } from "kitbag";

interface ToolCall {
  id: string;
  function: { name: string; arguments: string };
}

interface Message {
  role: string;
  content: string | null;
  tool_calls?: ToolCall[];
  tool_call_id?: string;
}

const tools = [
  {
    type: "function",
    function: {
      name: "pack_context",
      description: "Returns the code of the repository that is relevant to a question.",
      parameters: {
        type: "object",
        properties: { task: { type: "string" }, budget: { type: "integer" } },
        required: ["task"],
      },
    },
  },
];

/** Asks the model, and calls the tools that it asks for, until it answers. */
async function answer(question: string, engine: Engine, repo: string): Promise<string> {
  const messages: Message[] = [{ role: "user", content: question }];
  for (let round = 0; round < 8; round += 1) {
    const message = await complete(messages);
    messages.push(message);
    if (!message.tool_calls?.length) return message.content ?? "";
    for (const call of message.tool_calls) {
      const content = await runTool(call.function.arguments, engine, repo);
      messages.push({ role: "tool", tool_call_id: call.id, content });
    }
  }
  throw new Error("the model asks for tools again and again");
}

/** Runs the tool. The model reads an error, and can correct its call. */
async function runTool(text: string, engine: Engine, repo: string): Promise<string> {
  try {
    const { task, ...options } = JSON.parse(text);
    return (await engine.pack(task, { repo, budget: 4000, ...options })).content;
  } catch (error) {
    if (error instanceof KitbagError || error instanceof SyntaxError) return `error: ${error.message}`;
    throw error;
  }
}

/** Sends the conversation to the model, and returns its message. */
async function complete(messages: Message[]): Promise<Message> {
  const { OPENAI_BASE_URL, OPENAI_API_KEY, OPENAI_MODEL = "gpt-4o" } = process.env;
  const response = await fetch(`${OPENAI_BASE_URL}/chat/completions`, {
    method: "POST",
    headers: { "Content-Type": "application/json", Authorization: `Bearer ${OPENAI_API_KEY}` },
    body: JSON.stringify({ model: OPENAI_MODEL, messages, tools }),
  });
  if (!response.ok) throw new Error(`the model answered ${response.status}: ${await response.text()}`);
  const body = (await response.json()) as { choices: { message: Message }[] };
  const message = body.choices[0]?.message;
  if (!message) throw new Error("the model did not answer");
  return message;
}

const [question = "", repo = "."] = process.argv.slice(2);
console.log(await answer(question, new Engine({ watch: repo }), repo));
