import { applyDecorators } from '@nestjs/common';
import { ApiBody, ApiExtraModels, ApiResponse } from '@nestjs/swagger';
import { anyJson } from '../http/json-schema';
import { TOOLS } from './catalogue';

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

/** What the protocol refuses has its own body; what the service refuses has that of every error. */
const refused = (status: number, description: string) => ApiResponse({ status, description, content: REFUSED });

export const ApiMcp = () =>
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
