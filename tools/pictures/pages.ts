import type { Contents } from './contents';

/** A page of which a picture is taken. */
export interface PicturedPage {
  /** The name of the file. */
  readonly name: string;
  /** Below `/console`, or a whole path. */
  readonly path: string;
  /** Further looks than 1,280 pixels in light colours. */
  readonly also?: readonly Look[];
  /** The link to follow from there: the first element that this selector finds. */
  readonly follow?: string;
}

export interface Look {
  /** Added to the name of the file. */
  readonly name: string;
  /** In pixels. */
  readonly width: number;
  readonly colours: 'light' | 'dark';
}

export const USUAL: Look = { name: '', width: 1_280, colours: 'light' };

const DARK: Look = { name: '-dark', width: 1_280, colours: 'dark' };
const SMALL: Look = { name: '-small', width: 360, colours: 'light' };

/** Before the sign-in. */
export const PUBLIC_PAGES: readonly PicturedPage[] = [
  { name: 'sign-in', path: '/sign-in' },
  { name: 'sign-up', path: '/sign-up' },
  { name: 'reset-password', path: '/reset-password#token=of-a-mail' },
];

/** Every page that docs/console.md shows, after the sign-in. */
export function pagesOf(contents: Contents): readonly PicturedPage[] {
  const { websiteId, linkId, flagId, monitorId, statusPageId, alertId, reportId } = contents;
  const organization = `/organizations/${contents.organizationId}`;
  const website = `${organization}/websites/${websiteId}`;
  const month = '?preset=last_30d';
  return [
    { name: 'websites', path: `${organization}/websites` },
    { name: 'dashboard', path: `${website}/${month}`, also: [DARK, SMALL] },
    { name: 'report', path: `${website}/sources${month}` },
    { name: 'visitor', path: `${website}/visitors${month}`, follow: 'tbody a[href*="/visitors/"]' },
    { name: 'session', path: `${website}/sessions${month}`, follow: 'tbody a[href*="/sessions/"]' },
    { name: 'flow', path: `${website}/flow${month}` },
    { name: 'goals', path: `${website}/goals${month}` },
    { name: 'funnel', path: `${website}/funnels${month}`, follow: 'tbody a[href*="/funnels/"]' },
    { name: 'alert', path: `${organization}/alerts/${alertId}` },
    { name: 'install', path: `${website}/install` },
    { name: 'website-settings', path: `${website}/settings` },
    { name: 'links', path: `${organization}/links` },
    { name: 'link', path: `${organization}/links/${linkId}${month}` },
    { name: 'flags', path: `${organization}/flags` },
    { name: 'flag', path: `${organization}/flags/${flagId}` },
    { name: 'monitors', path: `${organization}/monitors` },
    { name: 'monitor', path: `${organization}/monitors/${monitorId}` },
    { name: 'status-pages', path: `${organization}/status-pages` },
    { name: 'status-page', path: `${organization}/status-pages/${statusPageId}` },
    { name: 'members', path: `${organization}/members` },
    { name: 'organization', path: `${organization}/settings` },
    { name: 'api-keys', path: `${organization}/api-keys` },
    { name: 'mail-report', path: `${organization}/reports?report=${reportId}` },
    { name: 'destinations', path: `${organization}/destinations` },
    { name: 'audit', path: `${organization}/audit` },
    { name: 'projections', path: `${organization}/projections` },
    { name: 'account', path: '/account' },
    { name: 'invitation', path: `/accept-invitation#invitation=${contents.invitationId}` },
  ];
}
