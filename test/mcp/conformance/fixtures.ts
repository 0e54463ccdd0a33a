import { setTimeout } from 'node:timers/promises';
import {
  completable,
  ResourceTemplate,
  type CallToolResult,
  type ContentBlock,
  type McpServer,
  type ServerContext,
  type Tool,
} from '@modelcontextprotocol/server';
import { z } from 'zod';

/** The smallest picture and the smallest sound. */
const PNG = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';
const WAV = 'UklGRiQAAABXQVZFZm10IBAAAAABAAEAQB8AAEAfAAABAAgAZGF0YQAAAAA=';

const text = (content: string): ContentBlock => ({ type: 'text', text: content });
const IMAGE: ContentBlock = { type: 'image', data: PNG, mimeType: 'image/png' };
const resource = (uri: string, mimeType: string, content: string): ContentBlock => {
  return { type: 'resource', resource: { uri, mimeType, text: content } };
};

type Fixture = (context: ServerContext) => CallToolResult | Promise<CallToolResult>;

/** The tools that the suite calls by name; our own tools have other results. */
const TOOLS: Readonly<Record<string, Fixture>> = {
  test_simple_text: () => ({ content: [text('This is a simple text response for testing.')] }),
  test_image_content: () => ({ content: [IMAGE] }),
  test_audio_content: () => ({ content: [{ type: 'audio', data: WAV, mimeType: 'audio/wav' }] }),
  test_embedded_resource: () => ({
    content: [resource('test://embedded-resource', 'text/plain', 'This is an embedded resource content.')],
  }),
  test_multiple_content_types: () => ({
    content: [
      text('Multiple content types test:'),
      IMAGE,
      resource('test://mixed-content-resource', 'application/json', '{"test":"data","value":123}'),
    ],
  }),
  test_error_handling: () => ({
    isError: true,
    content: [text('This tool intentionally returns an error for testing')],
  }),
  test_tool_with_progress: async ({ mcpReq: { _meta, notify } }) => {
    const progressToken = _meta?.progressToken;
    for (const progress of progressToken === undefined ? [] : [0, 50, 100]) {
      await notify({
        method: 'notifications/progress',
        params: { progressToken: progressToken!, progress, total: 100 },
      });
      await setTimeout(1);
    }
    return { content: [text('Done.')] };
  },
};

const describeFixture = (name: string): Tool => ({
  name,
  description: `What the conformance suite calls as ${name}`,
  inputSchema: { type: 'object', properties: {} },
});

interface OwnTools {
  readonly tools: readonly Tool[];
  readonly call: (name: string, args?: object) => Promise<CallToolResult>;
}

/** Gives a server what the suite asks for by name, beside its own tools and resources. */
export function withFixtures(mcp: McpServer, own: OwnTools): McpServer {
  const tools = [...own.tools, ...Object.keys(TOOLS).map(describeFixture)];
  mcp.server.setRequestHandler('tools/list', () => ({ tools }));
  mcp.server.setRequestHandler('tools/call', ({ params }, context) => {
    const fixture = TOOLS[params.name];
    return fixture ? fixture(context) : own.call(params.name, params.arguments);
  });
  addResources(mcp);
  addPrompts(mcp);
  return mcp;
}

function addResources(mcp: McpServer): void {
  const textUri = 'test://static-text';
  const binaryUri = 'test://static-binary';
  mcp.registerResource('static-text', textUri, { mimeType: 'text/plain' }, () => ({
    contents: [{ uri: textUri, mimeType: 'text/plain', text: 'This is the content of the static text resource.' }],
  }));
  mcp.registerResource('static-binary', binaryUri, { mimeType: 'image/png' }, () => ({
    contents: [{ uri: binaryUri, mimeType: 'image/png', blob: PNG }],
  }));
  const template = new ResourceTemplate('test://template/{id}/data', { list: undefined });
  mcp.registerResource('template', template, { mimeType: 'application/json' }, (uri, { id }) => {
    const data = JSON.stringify({ id, templateTest: true, data: `Data for ID: ${String(id)}` });
    return { contents: [{ uri: uri.href, mimeType: 'application/json', text: data }] };
  });
}

function addPrompts(mcp: McpServer): void {
  const prompt = (...contents: readonly ContentBlock[]) => ({
    messages: contents.map((content) => ({ role: 'user' as const, content })),
  });
  const description = 'What the conformance suite asks for by name';
  mcp.registerPrompt('test_simple_prompt', { description }, () => prompt(text('This is a simple prompt for testing.')));
  mcp.registerPrompt('test_prompt_with_image', { description }, () =>
    prompt(IMAGE, text('Please analyze the image above.')),
  );
  const argument = completable(z.string(), (begun) =>
    ['paris', 'park', 'party'].filter((each) => each.startsWith(begun)),
  );
  const argsSchema = z.object({ arg1: argument, arg2: z.string() });
  mcp.registerPrompt('test_prompt_with_arguments', { description, argsSchema }, ({ arg1, arg2 }) =>
    prompt(text(`Prompt with arguments: arg1='${arg1}', arg2='${arg2}'`)),
  );
  const embedded = { description, argsSchema: z.object({ resourceUri: z.string() }) };
  mcp.registerPrompt('test_prompt_with_embedded_resource', embedded, ({ resourceUri }) =>
    prompt(
      resource(resourceUri, 'text/plain', 'Embedded resource content for testing.'),
      text('Please process the embedded resource above.'),
    ),
  );
}
