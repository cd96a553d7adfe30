// Tools of SSCG for agents written in JavaScript or TypeScript: definitions in the shape of each API, and a function that
// runs a call. The command `sscg` does the work, so nothing but Node.js is needed. `SSCG` in the environment names another program.
//
//   import { Tools } from "./sscg-tools.mjs";
//
//   const tools = new Tools("path/to/project");
//   await client.messages.create({ tools: tools.anthropic(), ... });         // Anthropic
//   await client.responses.create({ tools: tools.openai(), ... });           // OpenAI, responses
//   await generateText({ tools: tools.vercel(tool, jsonSchema), ... });      // AI SDK, with its two functions
//   const text = await tools.call(block.name, block.input);                  // the text of the tool result

import { execFile } from "node:child_process";

const NAMES = { type: "array", items: { type: "string" }, minItems: 1 };
const BUDGET = { type: "integer", minimum: 200, maximum: 25000 };

export const DEFINITIONS = [
  {
    name: "search_code",
    description:
      "Find the code that answers a question about this project, with its connections, before grep and reading files. Ask in plain words, " +
      "with guesses at names as terms, or paste an error message or a line of code. The same question with a larger budget and `after` " +
      "(the budget before) returns what follows.",
    parameters: {
      type: "object",
      properties: {
        query: { type: "string", description: "Question, pasted text, or `symbol = Outer > inner`." },
        terms: { ...NAMES, description: "Six to fourteen guesses at names in the code." },
        budget: { ...BUDGET, description: "Token budget (default 1000)." },
        after: { ...BUDGET, description: "Budget of the answer before to the same question." },
      },
      required: ["query"],
    },
    command: ({ query, terms = [], budget = 1000, after }) => [
      "search", query, "--budget", String(budget),
      ...(after === undefined ? [] : ["--after", String(after)]),
      ...terms.flatMap((term) => ["--term", term]),
    ],
  },
  {
    name: "show_code",
    description: "Print the current code of declarations (`Session > close`), lines (`src/a.py:40-90`) or files, with line numbers.",
    parameters: { type: "object", properties: { names: NAMES }, required: ["names"] },
    command: ({ names }) => ["show", ...names],
  },
  {
    name: "list_callers",
    description: "List every use of declarations, with lines; the list says whether it is complete.",
    parameters: { type: "object", properties: { names: NAMES }, required: ["names"] },
    command: ({ names }) => ["callers", ...names],
  },
];

const told = ({ name, description }) => ({ name, description });

export class Tools {
  constructor(directory = ".", { program = process.env.SSCG ?? "sscg", timeout = 60_000 } = {}) {
    Object.assign(this, { directory, program, timeout });
  }

  anthropic() {
    return DEFINITIONS.map((it) => ({ ...told(it), input_schema: it.parameters }));
  }

  openai() {
    return DEFINITIONS.map((it) => ({ type: "function", ...told(it), parameters: it.parameters }));
  }

  vercel(tool, jsonSchema) {
    const of = ({ name, description, parameters }) =>
      tool({ description, inputSchema: jsonSchema(parameters), execute: (input) => this.call(name, input) });
    return Object.fromEntries(DEFINITIONS.map((it) => [it.name, of(it)]));
  }

  /** Runs a call and returns its text; what went wrong is text too, so that the model can try again. */
  call(name, input) {
    const definition = DEFINITIONS.find((it) => it.name === name);
    if (!definition) {
      const names = DEFINITIONS.map((it) => it.name).join(", ");
      return Promise.resolve(`error: no tool ${name}; one of: ${names}`);
    }
    let command;
    try {
      command = definition.command(typeof input === "string" ? JSON.parse(input) : input);
      if (command.includes(undefined)) throw new TypeError("an argument is missing");
    } catch (error) {
      const takes = JSON.stringify(definition.parameters.properties);
      return Promise.resolve(`error: ${name} takes ${takes}: ${error}`);
    }
    const options = { timeout: this.timeout, maxBuffer: 64 << 20 };
    return new Promise((resolve) => {
      execFile(this.program, ["-C", this.directory, ...command], options, (error, stdout, stderr) => {
        // Nothing found is an answer with exit code 1; errors explain themselves on standard error.
        const answered = stdout && (!error || error.code === 1);
        resolve(answered ? stdout : stdout + stderr || `error: ${error}`);
      });
    });
  }
}
