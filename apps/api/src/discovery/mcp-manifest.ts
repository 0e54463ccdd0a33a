/** The one endpoint for agents. */
const MCP = '/v1/mcp';

/** What agents can connect to: nothing where the api has no MCP route. */
export const mcpManifest = (publicApiUrl: string, routes: readonly string[]) => ({
  name: 'ledgerline',
  title: 'Ledgerline',
  description: 'Event-sourced analytics for websites and short links: exact counts, provable history.',
  documentation: `${publicApiUrl}/`,
  openapi: `${publicApiUrl}/openapi.json`,
  servers: routes.includes(`POST ${MCP}`) ? [{ type: 'streamable-http', url: `${publicApiUrl}${MCP}` }] : [],
});

const text = { type: 'string' };

export const MANIFEST_SCHEMA = {
  type: 'object',
  properties: {
    name: text,
    title: text,
    description: text,
    documentation: { ...text, format: 'uri' },
    openapi: { ...text, format: 'uri' },
    servers: {
      type: 'array',
      description: 'Empty while this version has no MCP server',
      items: {
        type: 'object',
        properties: { type: { ...text, enum: ['streamable-http'] }, url: { ...text, format: 'uri' } },
        required: ['type', 'url'],
      },
    },
  },
  required: ['name', 'title', 'description', 'documentation', 'openapi', 'servers'],
};
