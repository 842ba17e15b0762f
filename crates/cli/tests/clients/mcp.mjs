// Holds one conversation with an MCP server through the official client.
//
//   node mcp.mjs CLIENT_FOLDER COMMAND ARGUMENT…
//
// Standard input is a JSON array of [method of the client, its parameters]. Standard output is a
// JSON array with {"result": …} or {"error": …} for each.

import { createRequire } from "node:module";
import { join } from "node:path";
import { text } from "node:stream/consumers";

const [folder, command, ...args] = process.argv.slice(2);
const require = createRequire(join(folder, "package.json"));
const { Client } = require("@modelcontextprotocol/sdk/client/index.js");
const { StdioClientTransport } = require("@modelcontextprotocol/sdk/client/stdio.js");

const calls = JSON.parse(await text(process.stdin));
const client = new Client({ name: "heirloom-tests", version: "1.0.0" });
await client.connect(new StdioClientTransport({ command, args, env: process.env }));

const answers = [];
for (const [method, parameters] of calls) {
  try {
    answers.push({ result: await client[method](parameters) });
  } catch (error) {
    answers.push({ error: { code: error.code, message: error.message } });
  }
}
await client.close();
console.log(JSON.stringify(answers));
