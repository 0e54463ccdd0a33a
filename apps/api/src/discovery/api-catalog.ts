import type { Settings } from '@ledgerline/platform/config/settings';

/** The media type of RFC 9727. */
export const LINKSET = 'application/linkset+json; profile="https://www.rfc-editor.org/info/rfc9727"';

/** The hosts with their descriptions, documentation and health, as RFC 9727 lists them. */
export const apiCatalog = ({ publicApiUrl, publicTrackUrl }: Pick<Settings, 'publicApiUrl' | 'publicTrackUrl'>) => {
  const described = {
    'service-desc': [
      { href: `${publicApiUrl}/openapi.json`, type: 'application/json' },
      { href: `${publicApiUrl}/openapi.yaml`, type: 'application/yaml' },
    ],
    'service-doc': [{ href: `${publicApiUrl}/`, type: 'text/html' }],
  };
  return {
    linkset: [
      {
        anchor: publicApiUrl,
        ...described,
        'service-meta': ['mcp.json', 'mcp/server-card.json'].map((name) => ({
          href: `${publicApiUrl}/.well-known/${name}`,
          type: 'application/json',
        })),
        status: [{ href: `${publicApiUrl}/health/ready`, type: 'application/json' }],
      },
      {
        anchor: publicTrackUrl,
        ...described,
        status: [{ href: `${publicTrackUrl}/health`, type: 'application/json' }],
      },
    ],
  };
};

const links = {
  type: 'array',
  items: { type: 'object', properties: { href: { type: 'string' }, type: { type: 'string' } } },
};

export const CATALOG_SCHEMA = {
  type: 'object',
  properties: {
    linkset: {
      type: 'array',
      items: {
        type: 'object',
        properties: {
          anchor: { type: 'string', description: 'The address of a host' },
          'service-desc': links,
          'service-doc': links,
          'service-meta': links,
          status: links,
        },
        required: ['anchor', 'service-desc', 'service-doc', 'status'],
      },
    },
  },
  required: ['linkset'],
};

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
