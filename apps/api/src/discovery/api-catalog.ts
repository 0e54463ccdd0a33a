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
