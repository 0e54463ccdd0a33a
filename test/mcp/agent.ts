import {
  Client,
  StreamableHTTPClientTransport,
  type JsonSchemaType,
  type JsonSchemaValidator,
  type VersionNegotiationMode,
} from '@modelcontextprotocol/client';
import { AjvJsonSchemaValidator } from '@modelcontextprotocol/client/validators/ajv';
import { TOOLS } from '../../apps/api/src/agents/catalogue';
import type { TestApi } from '../api/test-api';

/** The names of the tools that a key with every scope is shown: what no key may do is not listed for it. */
export const TOOLS_OF_KEYS: readonly string[] = TOOLS.filter(
  ({ action }) => !['erasures:request', 'destinations:test', 'reports:read'].includes(action ?? ''),
).map(({ name }) => name);

/** A client of the tools, as the official library connects it. */
export interface Agent {
  readonly client: Client;
  /** The names of the tools that its credential sees. */
  toolNames(): Promise<string[]>;
  /** The structured result. @throws Error for an error of the tool */
  call(name: string, args?: Record<string, unknown>): Promise<Record<string, unknown>>;
  /** The code, message, hint and details of an error. @throws Error for a success */
  refused(name: string, args?: Record<string, unknown>): Promise<ToolError>;
  close(): Promise<void>;
}

interface ToolError {
  readonly code: string;
  readonly message: string;
  readonly hint: string;
  readonly requestId: string;
  readonly details?: readonly { readonly field: string; readonly message: string; readonly suggestion?: string }[];
}

/** The revision of the protocol that clients without sessions and handshake use. */
export const PRESENT: VersionNegotiationMode = { pin: '2026-07-28' };

/** Compiles each schema once for all clients, which compare the same results with it. */
class CompiledOnce extends AjvJsonSchemaValidator {
  private readonly compiled = new Map<string, JsonSchemaValidator<unknown>>();

  override getValidator<T>(schema: JsonSchemaType): JsonSchemaValidator<T> {
    const text = JSON.stringify(schema);
    const validator = (this.compiled.get(text) as JsonSchemaValidator<T> | undefined) ?? super.getValidator<T>(schema);
    this.compiled.set(text, validator);
    return validator;
  }
}

const jsonSchemaValidator = new CompiledOnce();

type Headers = Readonly<Record<string, string>>;

/** Connects to a listening api with an API key, or with other headers. */
export async function connectAgent(
  api: TestApi,
  credential: string | Headers,
  mode: VersionNegotiationMode = PRESENT,
): Promise<Agent> {
  const headers = typeof credential === 'string' ? { authorization: `Bearer ${credential}` } : credential;
  const url = new URL('/v1/mcp', await api.app.getUrl());
  const client = new Client({ name: 'spec', version: '1' }, { versionNegotiation: { mode }, jsonSchemaValidator });
  await client.connect(new StreamableHTTPClientTransport(url, { requestInit: { headers: { ...headers } } }));
  await client.listTools(); // from now on it compares results with their schemas
  const result = async (name: string, args: Record<string, unknown> = {}) => client.callTool({ name, arguments: args });
  return {
    client,
    toolNames: async () => (await client.listTools()).tools.map(({ name }) => name),
    call: async (name, args) => {
      const { isError, structuredContent, content } = await result(name, args);
      if (isError) throw new Error(`${name} failed: ${JSON.stringify(content)}`);
      return (structuredContent ?? {}) as Record<string, unknown>;
    },
    refused: async (name, args) => {
      const { isError, structuredContent, content } = await result(name, args);
      if (!isError) throw new Error(`${name} was not refused: ${JSON.stringify(content)}`);
      expect([structuredContent, content]).toEqual([undefined, [{ type: 'text', text: expect.any(String) as string }]]);
      const [{ text } = { text: '' }] = content as { text: string }[];
      return JSON.parse(text) as ToolError;
    },
    close: () => client.close(),
  };
}
