import type { TestApi } from '../api/test-api';
import type { Caller, House } from './cast';

/** The things that a request names: ours, fresh ones of ours, or such as there are none. */
export interface Ids {
  readonly organizationId: string;
  readonly websiteId: string;
  readonly linkId: string;
  /** The id of a flag of the website, as are the next five. */
  readonly flagId: string;
  readonly goalId: string;
  readonly funnelId: string;
  readonly segmentId: string;
  readonly savedViewId: string;
  readonly annotationId: string;
  readonly tagId: string;
  readonly monitorId: string;
  readonly statusPageId: string;
  /** The id of an incident of the status page. */
  readonly incidentId: string;
  readonly shareId: string;
  /** The token of the share, in its address. */
  readonly shareToken: string;
  readonly destinationId: string;
  readonly alertId: string;
  readonly reportId: string;
  readonly keyId: string;
  readonly memberId: string;
  readonly invitationId: string;
  readonly erasureId: string;
  readonly grantId: string;
}

export const UNKNOWN: Ids = {
  organizationId: 'org_01KAJ4Q7ZJ8M3V5T9X2C6D0B1E',
  websiteId: 'site_01KAJ4Q7ZJ8M3V5T9X2C6D0B1E',
  linkId: 'link_01KAJ4Q7ZJ8M3V5T9X2C6D0B1E',
  flagId: 'flag_01KAJ4Q7ZJ8M3V5T9X2C6D0B1E',
  goalId: 'goal_01KAJ4Q7ZJ8M3V5T9X2C6D0B1E',
  funnelId: 'funnel_01KAJ4Q7ZJ8M3V5T9X2C6D0B1E',
  segmentId: 'seg_01KAJ4Q7ZJ8M3V5T9X2C6D0B1E',
  savedViewId: 'view_01KAJ4Q7ZJ8M3V5T9X2C6D0B1E',
  annotationId: 'note_01KAJ4Q7ZJ8M3V5T9X2C6D0B1E',
  tagId: 'tag_01KAJ4Q7ZJ8M3V5T9X2C6D0B1E',
  monitorId: 'mon_01KAJ4Q7ZJ8M3V5T9X2C6D0B1E',
  statusPageId: 'status_01KAJ4Q7ZJ8M3V5T9X2C6D0B1E',
  incidentId: 'inc_01KAJ4Q7ZJ8M3V5T9X2C6D0B1E',
  shareId: 'share_01KAJ4Q7ZJ8M3V5T9X2C6D0B1E',
  shareToken: 'site_01KAJ4Q7ZJ8M3V5T9X2C6D0B1E',
  destinationId: 'dst_01KAJ4Q7ZJ8M3V5T9X2C6D0B1E',
  alertId: 'alr_01KAJ4Q7ZJ8M3V5T9X2C6D0B1E',
  reportId: 'rpt_01KAJ4Q7ZJ8M3V5T9X2C6D0B1E',
  keyId: 'key_01KAJ4Q7ZJ8M3V5T9X2C6D0B1E',
  memberId: 'usr_01KAJ4Q7ZJ8M3V5T9X2C6D0B1E',
  invitationId: 'inv_01KAJ4Q7ZJ8M3V5T9X2C6D0B1E',
  erasureId: 'era_01KAJ4Q7ZJ8M3V5T9X2C6D0B1E',
  grantId: 'grant_01KAJ4Q7ZJ8M3V5T9X2C6D0B1E',
};

export interface Scene {
  readonly ours: House;
  readonly ids: Ids;
  readonly caller: Caller;
}

export interface Fresh {
  readonly ids: Partial<Ids>;
  readonly headers?: Readonly<Record<string, string>>;
}

/** The requests by which a line of the rules is put to the test. */
export interface Sample {
  readonly path: (scene: Scene) => string;
  readonly body?: (scene: Scene) => object;
  /** The whole body for those who may; empty = none. */
  readonly answer: (scene: Scene) => unknown;
  /** Returns what a success uses up, made anew before each; with a key that may, where it depends on the thing. */
  readonly fresh?: (api: TestApi, ours: House, caller: Caller) => Promise<Fresh>;
}
