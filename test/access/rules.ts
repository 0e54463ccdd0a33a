import type { Scope } from '@ledgerline/contracts/events/api-key.events';
import type { Role } from '@ledgerline/contracts/events/organization.events';

/**
 * The rules of who may use each route: written from the contract, and from nothing that the product states about
 * itself.
 *
 * - outside: what people and keys of other organizations get, and everybody for an unknown id: `403`, or 404 of a noun
 * - people: `anybody`, also with a wrong credential, as none is looked at; `public`; the least role in the organization, `person` for all who are signed in, an operator, the invited one, the
 *   one who gave the grant (who is the owner), or `-` for none
 * - keys: the scopes they need (the last one before it is looked whether the thing is there), and on what: everything of the organization, the website itself, or any website; or `all`
 *
 * What creates things comes last, as those who could not create an organization would then belong to one; then signing
 * out. Passwords take their time, so who may try them is shown by a request that is wrong in something else.
 */
const TABLE = `
  route                                                    | outside      | people  | keys                  | success
  GET /health                                              | -            | anybody | public                | 200
  GET /health/ready                                        | -            | anybody | public                | 200
  GET /v1/projections                                      | -            | operator | -                    | 200
  GET /metrics                                             | -            | anybody | public                | 200
  GET /openapi.json                                        | -            | public  | public                | 200
  GET /                                                    | -            | public  | public                | 200
  GET /reference/:file                                     | -            | public  | public                | 200
  GET /reference/samples.json                              | -            | public  | public                | 200
  GET /console                                             | -            | public  | public                | 200
  GET /console/assets/:file                                | -            | public  | public                | 200
  GET /openapi.yaml                                        | -            | public  | public                | 200
  GET /.well-known/api-catalog                             | -            | public  | public                | 200
  GET /.well-known/mcp.json                                | -            | public  | public                | 200
  GET /.well-known/mcp/server-card.json                    | -            | public  | public                | 200
  POST /v1/mcp                                             | -            | -       | all                   | 200
  GET /.well-known/oauth-authorization-server              | -            | public  | public                | 200
  GET /.well-known/oauth-protected-resource                | -            | public  | public                | 200
  GET /.well-known/oauth-protected-resource/v1/mcp         | -            | public  | public                | 200
  GET /v1/auth/oauth2/authorize                            | -            | public  | public                | 400
  GET /v1/auth/oauth2/sign-in                              | -            | public  | public                | 400
  POST /v1/auth/oauth2/sign-in                             | -            | public  | public                | 400
  GET /v1/auth/oauth2/consent                              | -            | public  | public                | 400
  POST /v1/auth/oauth2/consent                             | -            | public  | public                | 403
  GET /v1/auth/oauth2/grants                               | -            | public  | public                | 200
  POST /v1/auth/oauth2/grants                              | -            | public  | public                | 403
  POST /v1/auth/oauth2/token                               | -            | public  | public                | 400
  POST /v1/auth/oauth2/revoke                              | -            | public  | public                | 400
  GET /public/v1/flags/bulk                                | -            | public  | public                | 200
  GET /public/v1/flags/evaluate                            | -            | public  | public                | 200
  POST /public/v1/flags/ofrep/v1/evaluate/flags            | -            | public  | public                | 200
  POST /public/v1/flags/ofrep/v1/evaluate/flags/:key       | -            | public  | public                | 404
  GET /v1/query/types                                      | -            | public  | public                | 200
  GET /v1/auth/get-session                                 | -            | public  | public                | 200
  GET /v1/auth/sign-up                                     | -            | public  | public                | 200
  POST /v1/auth/sign-up/email                              | -            | public  | public                | 409
  POST /v1/auth/send-verification-email                    | -            | public  | public                | 200
  POST /v1/auth/sign-in/email                              | -            | public  | public                | 400
  POST /v1/auth/request-password-reset                     | -            | public  | public                | 200
  POST /v1/auth/reset-password                             | -            | public  | public                | 400
  POST /v1/auth/change-password                            | -            | person  | -                     | 400
  POST /v1/auth/update-user                                | -            | person  | -                     | 400
  POST /v1/auth/change-email                               | -            | person  | -                     | 400
  POST /v1/auth/verify-email                               | -            | person  | -                     | 400
  GET /v1/auth/verify-email                                | -            | public  | public                | 400
  POST /v1/auth/verify-email/confirm                       | -            | public  | public                | 403
  POST /v1/auth/delete-user                                | -            | person  | -                     | 400
  POST /v1/query?website_id                                | 403          | member  | read:data on it       | 200
  POST /v1/query?link_id                                   | 403          | member  | read:data everywhere  | 200
  POST /v1/query?monitor_id                                | 403          | member  | read:data everywhere  | 200
  POST /v1/query/overview?websites                         | 403          | member  | read:data on it       | 200
  POST /v1/query/overview?links                            | 403          | member  | read:data everywhere  | 200
  GET /v1/live                                             | 403          | member  | read:data on it       | 200
  GET /v1/query/websites                                   | -            | person  | read:data on any      | 200
  GET /v1/organizations                                    | -            | person  | -                     | 200
  GET /v1/organizations/:id                                | Organization | member  | -                     | 200
  GET /v1/organizations/:id/members                        | Organization | member  | -                     | 200
  GET /v1/organizations/:id/invitations                    | Organization | admin   | -                     | 200
  GET /v1/websites                                         | Organization | member  | read:data on any      | 200
  GET /v1/websites/:id                                     | Website      | member  | read:data on it       | 200
  GET /v1/websites/:id/icon                                | Website      | member  | read:data on it       | 204
  GET /v1/websites/:id/retention                           | Website      | owner   | -                     | 200
  GET /v1/links                                            | Organization | member  | read:data everywhere  | 200
  GET /v1/links/preview                                    | Organization | member  | write:data everywhere | 200
  GET /v1/links/:id                                        | Link         | member  | read:data everywhere  | 200
  PATCH /v1/links/:id                                      | Link         | member  | write:data everywhere | 200
  DELETE /v1/links/:id                                     | Link         | member  | write:data everywhere | 204
  GET /v1/flags                                            | Organization | member  | manage:flags on any   | 200
  GET /v1/flags/:id                                        | Flag         | member  | manage:flags on it    | 200
  PATCH /v1/flags/:id                                      | Flag         | admin   | manage:flags on it    | 200
  DELETE /v1/flags/:id                                     | Flag         | admin   | manage:flags on it    | 204
  GET /v1/goals                                            | Organization | member  | read:data on any      | 200
  GET /v1/goals/:id                                        | Goal         | member  | read:data on it       | 200
  PATCH /v1/goals/:id                                      | Goal         | member  | write:data on it      | 200
  DELETE /v1/goals/:id                                     | Goal         | member  | write:data on it      | 204
  GET /v1/funnels                                          | Organization | member  | read:data on any      | 200
  GET /v1/funnels/:id                                      | Funnel       | member  | read:data on it       | 200
  PATCH /v1/funnels/:id                                    | Funnel       | member  | write:data on it      | 200
  DELETE /v1/funnels/:id                                   | Funnel       | member  | write:data on it      | 204
  GET /v1/segments                                         | Organization | member  | read:data on any      | 200
  GET /v1/segments/:id                                     | Segment      | member  | read:data on it       | 200
  PATCH /v1/segments/:id                                   | Segment      | member  | write:data on it      | 200
  DELETE /v1/segments/:id                                  | Segment      | member  | write:data on it      | 204
  GET /v1/saved-views                                      | Organization | member  | read:data on any      | 200
  GET /v1/saved-views/:id                                  | Saved view   | member  | read:data on it       | 200
  PATCH /v1/saved-views/:id                                | Saved view   | member  | write:data on it      | 200
  DELETE /v1/saved-views/:id                               | Saved view   | member  | write:data on it      | 204
  GET /v1/annotations                                      | Organization | member  | read:data on any      | 200
  GET /v1/annotations/:id                                  | Annotation   | member  | read:data on it       | 200
  PATCH /v1/annotations/:id                                | Annotation   | member  | write:data on it      | 200
  DELETE /v1/annotations/:id                               | Annotation   | member  | write:data on it      | 204
  GET /v1/alerts                                           | Organization | member  | read:data on any      | 200
  GET /v1/alerts/destinations                              | Organization | member  | read:data everywhere  | 200
  GET /v1/alerts/:id                                       | Alert        | member  | read:data on it       | 200
  GET /v1/alerts/:id/decisions                             | Alert        | member  | read:data on it       | 200
  POST /v1/alerts/trial                                    | Organization | member  | read:data, write:data on it | 200
  PATCH /v1/alerts/:id                                     | Alert        | member  | read:data, write:data on it | 200
  DELETE /v1/alerts/:id                                    | Alert        | member  | read:data, write:data on it | 204
  GET /v1/tags                                             | Organization | member  | read:data everywhere  | 200
  GET /v1/tags/:id                                         | Tag          | member  | read:data everywhere  | 200
  PATCH /v1/tags/:id                                       | Tag          | member  | write:data everywhere | 200
  DELETE /v1/tags/:id                                      | Tag          | member  | write:data everywhere | 204
  GET /v1/monitors                                         | Organization | member  | read:data everywhere  | 200
  GET /v1/monitors/status                                  | Organization | member  | read:data everywhere  | 200
  GET /v1/monitors/:id                                     | Monitor      | member  | read:data everywhere  | 200
  PATCH /v1/monitors/:id                                   | Monitor      | admin   | write:data everywhere | 200
  DELETE /v1/monitors/:id                                  | Monitor      | admin   | write:data everywhere | 204
  GET /public/v1/status-pages                              | -            | public  | public                | 200
  GET /public/v1/status-pages/:slug                        | -            | public  | public                | 200
  GET /status/:slug                                        | -            | public  | public                | 200
  GET /status/:slug/feed.atom                              | -            | public  | public                | 200
  GET /status/:slug/badge.svg                              | -            | public  | public                | 200
  GET /v1/status-pages                                     | Organization | member  | read:data everywhere  | 200
  GET /v1/status-pages/:id                                 | Status page  | member  | read:data everywhere  | 200
  PATCH /v1/status-pages/:id                               | Status page  | admin   | write:data everywhere | 200
  DELETE /v1/status-pages/:id                              | Status page  | admin   | write:data everywhere | 204
  GET /v1/status-pages/:id/incidents                       | Status page  | member  | read:data everywhere  | 200
  POST /v1/status-pages/:id/incidents                      | Status page  | admin   | write:data everywhere | 201
  PATCH /v1/status-pages/:id/incidents/:incidentId         | Status page  | admin   | write:data everywhere | 200
  DELETE /v1/status-pages/:id/incidents/:incidentId        | Status page  | admin   | write:data everywhere | 204
  GET /share/:token                                        | -            | public  | public                | 200
  GET /share/:token/dashboard                              | -            | public  | public                | 200
  POST /share/:token/password                              | -            | public  | public                | 400
  POST /share/:token/query                                 | -            | public  | public                | 200
  GET /v1/shares                                           | Organization | member  | read:data on any      | 200
  GET /v1/shares/:id                                       | Share        | member  | read:data on it       | 200
  PATCH /v1/shares/:id                                     | Share        | admin   | write:data on it      | 200
  DELETE /v1/shares/:id                                    | Share        | admin   | write:data on it      | 204
  GET /v1/destinations                                     | Organization | admin   | -                     | 200
  GET /v1/destinations/:id                                 | Destination  | admin   | -                     | 200
  PATCH /v1/destinations/:id                               | Destination  | admin   | -                     | 200
  DELETE /v1/destinations/:id                              | Destination  | admin   | -                     | 204
  GET /v1/reports                                          | Organization | admin   | -                     | 200
  GET /v1/reports/:id                                      | Report       | admin   | -                     | 200
  PATCH /v1/reports/:id                                    | Report       | admin   | -                     | 200
  DELETE /v1/reports/:id                                   | Report       | admin   | -                     | 204
  GET /v1/reports/:id/preview                              | Report       | admin   | -                     | 200
  POST /v1/destinations/:id/rotate                         | Destination  | admin   | -                     | 200
  POST /v1/destinations/:id/test                           | Destination  | admin   | -                     | 200
  GET /v1/destinations/:id/deliveries                      | Destination  | admin   | -                     | 200
  POST /v1/destinations/:id/retry                          | Destination  | admin   | -                     | 200
  GET /v1/destinations/:id/confirm                         | -            | public  | public                | 400
  POST /v1/destinations/:id/confirm                        | -            | public  | public                | 400
  GET /v1/destinations/:id/unsubscribe                     | -            | public  | public                | 400
  POST /v1/destinations/:id/unsubscribe                    | -            | public  | public                | 400
  GET /v1/api-keys                                         | Organization | admin   | -                     | 200
  GET /v1/api-keys/:id                                     | API key      | admin   | -                     | 200
  PATCH /v1/api-keys/:id                                   | API key      | admin   | -                     | 200
  DELETE /v1/api-keys/:id                                  | API key      | admin   | -                     | 204
  POST /v1/api-keys/:id/rotate                             | API key      | admin   | -                     | 200
  POST /v1/api-keys/:id/revoke                             | API key      | admin   | -                     | 200
  PATCH /v1/websites/:id                                   | Website      | admin   | write:data on it      | 200
  DELETE /v1/websites/:id                                  | Website      | admin   | write:data on it      | 204
  PATCH /v1/organizations/:id/members/:userId              | Organization | owner   | -                     | 200
  DELETE /v1/organizations/:id/members/:userId             | Organization | admin   | -                     | 204
  POST /v1/organizations/:id/invitations                   | Organization | admin   | -                     | 201
  DELETE /v1/organizations/:id/invitations/:invitationId   | Organization | admin   | -                     | 204
  PATCH /v1/organizations/:id                              | Organization | admin   | -                     | 200
  DELETE /v1/organizations/:id                             | Organization | owner   | -                     | 204
  GET /v1/oauth/grants                                     | -            | person  | -                     | 200
  DELETE /v1/oauth/grants/:id                              | Grant        | giver   | -                     | 204
  GET /v1/audit-log                                        | Organization | admin   | read:audit everywhere | 200
  GET /v1/audit-log/export                                 | Organization | admin   | read:audit everywhere | 200
  GET /v1/audit-log/verify                                 | Organization | admin   | read:audit everywhere | 200
  GET /v1/erasures                                         | Organization | owner   | -                     | 200
  POST /v1/people/export                                   | Organization | owner   | -                     | 200
  POST /v1/erasures/preview                                | Organization | owner   | -                     | 200
  GET /v1/erasures/:id                                     | Erasure      | owner   | -                     | 200
  POST /v1/erasures                                        | Organization | owner   | -                     | 202
  POST /v1/erasures/bulk                                   | Organization | owner   | -                     | 202
  POST /v1/websites                                        | Organization | admin   | write:data everywhere | 201
  POST /v1/links                                           | Organization | member  | write:data everywhere | 201
  POST /v1/links/bulk                                      | Organization | member  | write:data everywhere | 200
  POST /v1/links/bulk/tags                                 | Organization | member  | write:data everywhere | 200
  POST /v1/tags                                            | Organization | member  | write:data everywhere | 201
  POST /v1/flags                                           | Organization | admin   | manage:flags everywhere | 201
  POST /v1/goals                                           | Organization | member  | write:data on it      | 201
  POST /v1/funnels                                         | Organization | member  | write:data on it      | 201
  POST /v1/segments                                        | Organization | member  | write:data on it      | 201
  POST /v1/saved-views                                     | Organization | member  | write:data on it      | 201
  POST /v1/alerts                                          | Organization | member  | read:data, write:data on it | 201
  POST /v1/annotations                                     | Organization | member  | write:data on it      | 201
  POST /v1/monitors                                        | Organization | admin   | write:data everywhere | 201
  POST /v1/status-pages                                    | Organization | admin   | write:data everywhere | 201
  POST /v1/shares                                          | Organization | admin   | write:data on it      | 201
  POST /v1/destinations                                    | Organization | admin   | -                     | 201
  POST /v1/reports                                         | Organization | admin   | -                     | 201
  POST /v1/api-keys                                        | Organization | admin   | -                     | 201
  POST /v1/organizations                                   | -            | person  | -                     | 201
  POST /v1/invitations/:invitationId/accept                | Invitation   | invited | -                     | 200
  POST /v1/auth/sign-out                                   | -            | public  | public                | 200
`;

export interface Rule {
  /** `POST /v1/query?link_id`: one route may have a line for each kind of thing it is about. */
  readonly line: string;
  /** As its controller declares it: `POST /v1/query`. */
  readonly route: string;
  readonly outside: string;
  readonly people: Role | 'person' | 'invited' | 'giver' | 'operator' | 'public' | 'anybody' | '-';
  readonly keys:
    | { readonly scopes: readonly Scope[]; readonly on: 'everywhere' | 'on it' | 'on any' }
    | 'all'
    | undefined;
  readonly success: number;
}

export const RULES: readonly Rule[] = TABLE.trim()
  .split('\n')
  .slice(1)
  .map((text) => {
    const [line, outside, people, keys, success] = text.split('|').map((cell) => cell.trim()) as [
      string,
      string,
      Rule['people'],
      string,
      string,
    ];
    const [, scopes, on] = /^(\w+:\w+(?:, \w+:\w+)*) (everywhere|on it|on any)$/.exec(keys) ?? [];
    const grant = scopes === undefined ? undefined : ({ scopes: scopes.split(', '), on } as Rule['keys']);
    return {
      line,
      route: line.replace(/\?.*/, ''),
      outside,
      people,
      keys: keys === 'all' ? keys : grant,
      success: Number(success),
    };
  });
