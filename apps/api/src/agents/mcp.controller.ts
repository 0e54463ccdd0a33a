import { Readable } from 'node:stream';
import { createMcpHandler, localhostAllowedHostnames, validateHostHeader } from '@modelcontextprotocol/server';
import {
  Body,
  type CanActivate,
  Controller,
  type ExecutionContext,
  Inject,
  Injectable,
  Module,
  Post,
  Req,
  Res,
  UseGuards,
  applyDecorators,
} from '@nestjs/common';
import { CommandBus, QueryBus } from '@nestjs/cqrs';
import { ApiBody, ApiExtraModels, ApiOperation, ApiResponse, ApiTags } from '@nestjs/swagger';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { isObject } from '@ledgerline/contracts/json';
import type { Settings } from '@ledgerline/platform/config/settings';
import { type CommandContext, RequestContext } from '../commands/command-context';
import { Resources } from '../commands/resource';
import { ResourcesModule } from '../commands/resource.controller';
import { RequestLimitGuard } from '../http/limits.module';
import { isForeignChange } from '../http/origins';
import { forbidden } from '../http/problems';
import { anyJson } from '../http/record.dto';
import { AcceptsTokens, type CallerRequest, Requires, clientDisconnectSignal } from '../http/route';
import { AuthModule } from '../identity/auth/auth.module';
import { DiscoveryModule } from '../reference/discovery.controller';
import { SETTINGS } from '../tokens';
import { TOOLS, ToolDescriptions } from './catalogue';
import { McpServers } from './mcp-servers';
import { ServerCardController } from './server-card.controller';

const MESSAGE = {
  type: 'object',
  description: 'A message of JSON-RPC 2.0',
  properties: {
    jsonrpc: { type: 'string', enum: ['2.0'] },
    id: { type: ['string', 'number', 'null'] },
    method: { type: 'string' },
    params: { type: 'object', additionalProperties: true },
    result: { type: 'object', additionalProperties: true },
    error: {
      type: 'object',
      properties: { code: { type: 'integer' }, message: { type: 'string' }, data: anyJson },
      required: ['code', 'message'],
    },
  },
  required: ['jsonrpc'],
};

const EXAMPLES = {
  call: {
    summary: 'Call a tool',
    value: { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'list_websites', arguments: {} } },
  },
  list: { summary: 'List the tools', value: { jsonrpc: '2.0', id: 2, method: 'tools/list' } },
};

const REFUSED = {
  'application/json': { schema: { oneOf: [{ $ref: '#/components/schemas/Problem' }, MESSAGE] } },
};

/**
 * Describes a refusal: what the protocol refuses has its own body; what the service refuses has that of every error.
 */
const refused = (status: number, description: string) => ApiResponse({ status, description, content: REFUSED });

const ApiMcp = () =>
  applyDecorators(
    ApiExtraModels(...TOOLS.flatMap(({ input }) => input ?? [])),
    ApiBody({ description: 'One message, or a batch of them', schema: MESSAGE, examples: EXAMPLES }),
    ApiResponse({
      status: 200,
      description: 'The response to a request, as JSON or as an event stream',
      content: { 'application/json': { schema: MESSAGE }, 'text/event-stream': { schema: { type: 'string' } } },
    }),
    ApiResponse({
      status: 202,
      description: 'A notification was taken; the body is empty',
      content: { 'text/plain': { schema: { type: 'string', maxLength: 0 } } },
    }),
    refused(400, 'Not a message of the protocol, or of a revision that this server does not know'),
    refused(404, 'A method that this server does not have'),
    refused(406, '`Accept` must name `application/json` and `text/event-stream`'),
    refused(415, 'The body must be JSON'),
  );

/**
 * Refuses requests for another host name than ours, and those from pages of other origins: a page whose host name was
 * pointed at this machine (DNS rebinding) comes with either.
 */
@Injectable()
class RebindingGuard implements CanActivate {
  private readonly hosts: string[];

  constructor(@Inject(SETTINGS) private readonly settings: Settings) {
    this.hosts = [new URL(settings.publicApiUrl).hostname, ...localhostAllowedHostnames()];
  }

  canActivate(context: ExecutionContext): boolean {
    const request = context.switchToHttp().getRequest<FastifyRequest>();
    if (!validateHostHeader(request.headers.host, this.hosts).ok) throw forbidden();
    if (isForeignChange(request, this.settings)) throw forbidden();
    return true;
  }
}

/**
 * Counts what a request asks for beyond being one request: the further messages of a batch, which early revisions of the
 * protocol have, and the tools with a budget of their own, so that `query` costs what `POST /v1/query` does.
 */
@Injectable()
class MessageLimitGuard implements CanActivate {
  constructor(private readonly limits: RequestLimitGuard) {}

  /** @throws Problem RATE_LIMITED */
  async canActivate(context: ExecutionContext): Promise<boolean> {
    const request = context.switchToHttp().getRequest<CallerRequest>();
    const reply = context.switchToHttp().getResponse<FastifyReply>();
    const messages: readonly unknown[] = Array.isArray(request.body) ? request.body : [request.body];
    for (const [at, message] of messages.entries()) {
      if (at > 0) await this.limits.count('api', request, reply);
      const budget = budgetOf(message);
      if (budget && !hasOwnLimit(request)) await this.limits.count(budget, request, reply);
    }
    return true;
  }
}

/** A key that carries its own limit has that one for everything: its requests are counted once. */
const hasOwnLimit = ({ caller }: CallerRequest): boolean => caller?.kind === 'key' && caller.rateLimit !== null;

function budgetOf(message: unknown) {
  if (!isObject(message) || message['method'] !== 'tools/call' || !isObject(message['params'])) return undefined;
  const { name: called } = message['params'];
  return TOOLS.find(({ name }) => name === called)?.budget;
}

/** Tools for agents: the Model Context Protocol over HTTP, without sessions, in its early and its present revisions. */
@ApiTags('Agents')
@Controller('v1/mcp')
@AcceptsTokens()
@UseGuards(RebindingGuard, MessageLimitGuard)
class McpController {
  constructor(
    private readonly servers: McpServers,
    private readonly commands: CommandBus,
    private readonly queries: QueryBus,
    private readonly resources: Resources,
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
    const { commands, queries, resources, settings } = this;
    const { publicApiUrl } = settings;
    const signal = clientDisconnectSignal(reply);
    const context = { caller: command.caller, command, commands, queries, resources, signal };
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

const isSubscription = (message: unknown): boolean => isObject(message) && message['method'] === 'subscriptions/listen';

async function send(response: Response, reply: FastifyReply): Promise<void> {
  void reply.status(response.status).headers(Object.fromEntries(response.headers));
  const isStream = response.headers.get('content-type')?.startsWith('text/event-stream') ?? false;
  if (isStream && response.body) await reply.send(Readable.fromWeb(response.body));
  else await reply.send(await response.text());
}

/** Tools for agents. */
@Module({
  imports: [AuthModule, ResourcesModule, DiscoveryModule],
  controllers: [McpController, ServerCardController],
  providers: [McpServers, ToolDescriptions],
})
export class McpModule {}
