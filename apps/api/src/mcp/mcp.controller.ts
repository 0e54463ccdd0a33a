import { Readable } from 'node:stream';
import { Body, Controller, Inject, Post, Req, Res, UseGuards } from '@nestjs/common';
import type { Settings } from '@ledgerline/platform/config/settings';
import { createMcpHandler } from '@modelcontextprotocol/server';
import { CommandBus, QueryBus } from '@nestjs/cqrs';
import { ApiOperation, ApiTags } from '@nestjs/swagger';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { RequestContext, type CommandContext } from '../commands/command-context';
import { AcceptsTokens, Requires } from '../http/route';
import { clientDisconnectSignal } from '../http/client-disconnect-signal';
import { SETTINGS } from '../tokens';
import { ApiMcp } from './mcp-schemas';
import { McpServers } from './mcp-servers';
import { MessageLimitGuard } from './message-limit.guard';
import { RebindingGuard } from './rebinding.guard';

/** Tools for agents: the Model Context Protocol over HTTP, without sessions, in its early and its present revisions. */
@ApiTags('Agents')
@Controller('v1/mcp')
@AcceptsTokens()
@UseGuards(RebindingGuard, MessageLimitGuard)
export class McpController {
  constructor(
    private readonly servers: McpServers,
    private readonly commands: CommandBus,
    private readonly queries: QueryBus,
    @Inject(SETTINGS) private readonly settings: Settings,
  ) {}

  @Post()
  @ApiOperation({ summary: 'Messages of the Model Context Protocol, for agents' })
  @ApiMcp()
  @Requires('agent')
  async handle(
    @Req() request: FastifyRequest,
    @Body() body: unknown,
    @RequestContext() command: CommandContext,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    const { commands, queries, settings } = this;
    const { publicApiUrl, publicTrackUrl } = settings;
    const signal = clientDisconnectSignal(reply);
    const context = { caller: command.caller, command, commands, queries, publicTrackUrl, signal };
    const handler = createMcpHandler(() => this.servers.create(context));
    const sent = new Request(`${publicApiUrl}/v1/mcp`, { method: 'POST', headers: headersOf(request), signal });
    const response = await handler.fetch(sent, { parsedBody: body });
    // nothing here changes while the server runs: a subscription ends as soon as it is acknowledged
    if (isSubscription(body)) await handler.close();
    await send(response, reply);
  }
}

/** The headers that the protocol knows. */
const READ = /^(accept|content-type|mcp-[\w-]+)$/;

const headersOf = ({ headers }: FastifyRequest): Record<string, string> =>
  Object.fromEntries(
    Object.entries(headers).flatMap(([name, value]) => (READ.test(name) ? [[name, String(value)]] : [])),
  );

const isSubscription = (message: unknown): boolean =>
  (message as { readonly method?: unknown } | null)?.method === 'subscriptions/listen';

async function send(response: Response, reply: FastifyReply): Promise<void> {
  void reply.status(response.status).headers(Object.fromEntries(response.headers));
  const isStream = response.headers.get('content-type')?.startsWith('text/event-stream') ?? false;
  if (isStream && response.body) await reply.send(Readable.fromWeb(response.body));
  else await reply.send(await response.text());
}
