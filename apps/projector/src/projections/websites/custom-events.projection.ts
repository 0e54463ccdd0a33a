import type { CustomEventTracked } from '@ledgerline/contracts/events/observed-events';
import { customEvents } from '@ledgerline/contracts/read-models/website-events';
import type { Hit } from '@ledgerline/domain/sessions/hit';
import type { Row } from '@ledgerline/platform/database/read-model-rows';
import { jsonText } from '@ledgerline/platform/database/json-text';

/** Facts: what only lists of single custom events need, beside their hit in a session. */
export const customEventsProjection = {
  builds: customEvents,
  rowOf: (website: number, { data }: CustomEventTracked, { id, at, word: name, path }: Hit): Row => ({
    website,
    id,
    at,
    name,
    namespace: data.namespace?.replaceAll('\u0000', '') ?? null,
    path,
    visitor: data.visitorId,
    properties: data.properties === null ? null : jsonText(data.properties),
  }),
};
