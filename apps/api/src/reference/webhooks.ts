import { MESSAGE_CATALOGUE } from '@ledgerline/domain/messages/message-catalogue';

const HEADERS = [
  ['webhook-id', 'Of the message: the same at each try'],
  ['webhook-timestamp', 'When it is sent, in seconds'],
  ['webhook-signature', 'By Standard Webhooks'],
] as const;

/** The messages to destinations, which are sent as JSON, as OpenAPI describes them. */
export const webhooks = (): Readonly<Record<string, object>> =>
  Object.fromEntries(
    MESSAGE_CATALOGUE.map(({ type, description, schema, example }) => {
      const post = {
        operationId: `webhook_${type}`,
        tags: ['Destinations'],
        summary: type,
        description,
        parameters: HEADERS.map(([name, meaning]) => ({
          name,
          in: 'header',
          required: true,
          description: meaning,
          schema: { type: 'string' },
        })),
        requestBody: { required: true, content: { 'application/json': { schema, example } } },
        responses: { '2XX': { description: 'The message is taken' } },
      };
      return [type, { post }];
    }),
  );
