import { Inject, Injectable } from '@nestjs/common';
import { neededFor } from '@ledgerline/domain/access/permissions';
import { Registry } from '@ledgerline/domain/registry/registry';
import { internalProblem } from '@ledgerline/platform/http/problem.filter';
import type { Logger } from '@ledgerline/platform/logging/logger';
import { McpServer, ProtocolError, ProtocolErrorCode, type CallToolResult } from '@modelcontextprotocol/server';
import { forbidden, problemOf } from '../http/problems';
import { LOGGER } from '../tokens';
import { ToolDescriptions, TOOLS } from './catalogue';
import { INSTRUCTIONS, RESOURCES } from './guide';
import { mayUse, toolError, toolResult, type ToolContext } from './tool';

export const SERVER_INFO = { name: 'ledgerline', title: 'Ledgerline', version: '1' };

/** What the server can do; nothing of it changes while it runs. */
export const CAPABILITIES = { tools: { listChanged: false }, resources: { listChanged: false } };

const HOUR_MS = 3_600_000;
const PUBLIC = { ttlMs: HOUR_MS, cacheScope: 'public' } as const;
/** The list of tools depends on the credential, whose rights can be taken away at any time. */
const PRIVATE = { ttlMs: 0, cacheScope: 'private' } as const;
const CACHE_HINTS = { 'tools/list': PRIVATE, 'resources/list': PUBLIC, 'resources/read': PUBLIC };

/** Makes the server that answers one request: it has the tools and resources for its caller. */
@Injectable()
export class McpServers {
  constructor(
    private readonly descriptions: ToolDescriptions,
    private readonly registry: Registry,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {}

  create(context: ToolContext): McpServer {
    const options = { capabilities: CAPABILITIES, instructions: INSTRUCTIONS, cacheHints: CACHE_HINTS };
    const mcp = new McpServer(SERVER_INFO, options);
    const usable = TOOLS.filter((tool) => mayUse(tool, context.caller, this.registry));
    mcp.server.setRequestHandler('tools/list', () => ({ tools: this.descriptions.of(usable) }));
    mcp.server.setRequestHandler('tools/call', ({ params }) => this.call(params.name, params.arguments, context));
    for (const { uri, name, text, ...described } of RESOURCES) {
      const contents = [{ uri, mimeType: described.mimeType, text }];
      mcp.registerResource(name, uri, described, () => ({ contents }));
    }
    return mcp;
  }

  async call(name: string, args: object | undefined, context: ToolContext): Promise<CallToolResult> {
    const tool = TOOLS.find((each) => each.name === name);
    if (!tool) throw new ProtocolError(ProtocolErrorCode.InvalidParams, `There is no tool ${JSON.stringify(name)}`);
    try {
      if (!mayUse(tool, context.caller, this.registry))
        throw forbidden(...(tool.action ? [{ needs: neededFor(tool.action, context.caller) }] : []));
      return toolResult(await tool.call(args ?? {}, context));
    } catch (err) {
      const problem = problemOf(err) ?? internalProblem();
      const { requestId } = context.command;
      const log = { requestId, tool: name, err };
      if (problem.code === 'INTERNAL') this.logger.error(log, 'a tool failed');
      return toolError(problem, requestId);
    }
  }
}
