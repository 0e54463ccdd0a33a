/** The kind of a value: it decides how people may write it, what rows show for it and how the console does. */
export type AttributeKind =
  | 'text'
  | 'path'
  | 'query'
  | 'address'
  | 'host'
  | 'source'
  | 'country'
  | 'place'
  | 'language'
  | 'zone'
  | 'version';

interface AttributeDeclaration {
  /**
   * session: of its first page view, for all of its events · whole: of all events of a counted session, for all of them ·
   * event: of each event itself · view: of each page view; all other events have none.
   */
  readonly of: 'session' | 'whole' | 'event' | 'view';
  readonly kind: AttributeKind;
  /** The targets whose questions can be filtered by it. */
  readonly filters: readonly ('website' | 'link')[];
  /** The name that people see. */
  readonly label: string;
  /** The text that rows show for a missing value; filters take it for one. */
  readonly missing?: 'Unknown' | 'Direct';
  readonly ignoresCase?: true;
  /** Most sessions have none: what is counted by it leaves these out. */
  readonly isRare?: true;
  /** The query type whose rows are its values. */
  readonly list?: AttributeList;
  /** The list of the attribute about links. */
  readonly linkList?: string;
  /** The query type whose rows have its values, where that is the list of another attribute or of events. */
  readonly shownIn?: string;
}

export interface AttributeList {
  readonly type: string;
  readonly category: string;
  readonly description: string;
  /** The title of the list in the console, and of its column of values where that is not the attribute's label. */
  readonly title: string;
  readonly header?: string;
  /** False: it needs credentials for a public website, too. */
  readonly publicAccess?: boolean;
  readonly withoutPercentage?: true;
}

const WEBSITE = ['website'] as const;
const BOTH = ['website', 'link'] as const;
const UNKNOWN = { of: 'session', missing: 'Unknown' } as const;
const UTM = { of: 'session', kind: 'text', isRare: true, filters: WEBSITE } as const;

const list = <const Type extends string>(type: Type, category: string, title: string, description: string) => ({
  type,
  category,
  title,
  description,
});

/**
 * Every attribute of page views and visits, once: columns, counts by their values, filters, labels, lists, pages of the
 * console and documents follow. docs/definitions.md says what each means.
 */
export const ATTRIBUTES = {
  path: {
    of: 'event',
    kind: 'path',
    filters: WEBSITE,
    label: 'Page',
    list: list('top_pages', 'Pages', 'Pages', 'Page views and visitors by path'),
  },
  query_string: { of: 'view', kind: 'query', filters: WEBSITE, label: 'Query string' },
  hostname: { of: 'event', kind: 'host', filters: WEBSITE, label: 'Host' },
  entry_page: { of: 'whole', kind: 'path', filters: WEBSITE, label: 'Entry page', shownIn: 'entry_pages' },
  exit_page: { of: 'whole', kind: 'path', filters: WEBSITE, label: 'Exit page', shownIn: 'exit_pages' },
  event: { of: 'whole', kind: 'text', filters: WEBSITE, label: 'Custom event', shownIn: 'custom_events' },
  referrer: {
    of: 'session',
    kind: 'source',
    missing: 'Direct',
    filters: BOTH,
    label: 'Referrer',
    list: {
      ...list('traffic_sources', 'Traffic', 'Sources', 'Traffic source breakdown, with direct visits as Direct'),
      header: 'Source',
    },
    linkList: 'link_top_referrers',
  },
  channel: {
    of: 'session',
    kind: 'text',
    filters: WEBSITE,
    label: 'Channel',
    list: list('channels', 'Traffic', 'Channels', 'Visits by channel, such as Organic search'),
  },
  utm_source: {
    ...UTM,
    label: 'UTM source',
    list: list('utm_sources', 'Campaigns', 'UTM sources', 'Visits by utm_source'),
  },
  utm_medium: {
    ...UTM,
    label: 'UTM medium',
    list: list('utm_mediums', 'Campaigns', 'UTM mediums', 'Visits by utm_medium'),
  },
  utm_campaign: {
    ...UTM,
    label: 'UTM campaign',
    list: { ...list('utm_campaigns', 'Campaigns', 'Campaigns', 'Visits by utm_campaign'), header: 'Campaign' },
  },
  utm_term: {
    ...UTM,
    label: 'UTM term',
    list: { ...list('utm_terms', 'Campaigns', 'UTM terms', 'Visits by utm_term'), publicAccess: false },
  },
  utm_content: {
    ...UTM,
    label: 'UTM content',
    list: { ...list('utm_content', 'Campaigns', 'UTM content', 'Visits by utm_content'), publicAccess: false },
  },
  country: {
    ...UNKNOWN,
    kind: 'country',
    ignoresCase: true,
    filters: BOTH,
    label: 'Country',
    list: list('country', 'Geography', 'Countries', 'Visitors by country'),
    linkList: 'link_top_countries',
  },
  region: {
    ...UNKNOWN,
    kind: 'place',
    filters: BOTH,
    label: 'Region',
    list: list('region', 'Geography', 'Regions', 'Visitors by region'),
    linkList: 'link_top_regions',
  },
  city: {
    ...UNKNOWN,
    kind: 'place',
    filters: BOTH,
    label: 'City',
    list: list('city', 'Geography', 'Cities', 'Visitors by city'),
    linkList: 'link_top_cities',
  },
  language: {
    ...UNKNOWN,
    kind: 'language',
    filters: WEBSITE,
    label: 'Language',
    list: list('language', 'Audience', 'Languages', 'Visits by language of the browser'),
  },
  timezone: {
    ...UNKNOWN,
    kind: 'zone',
    filters: WEBSITE,
    label: 'Visitor’s time zone',
    list: { ...list('timezone', 'Audience', 'Time zones', 'Visits by time zone of the visitor'), header: 'Time zone' },
  },
  device_type: {
    ...UNKNOWN,
    kind: 'text',
    ignoresCase: true,
    filters: BOTH,
    label: 'Device',
    list: list('device_types', 'Devices', 'Devices', 'Device category (desktop, mobile, tablet, other)'),
    linkList: 'link_top_devices',
  },
  browser_name: {
    ...UNKNOWN,
    kind: 'text',
    ignoresCase: true,
    filters: BOTH,
    label: 'Browser',
    list: list('browser_name', 'Devices', 'Browsers', 'Browser usage breakdown'),
    linkList: 'link_top_browsers',
  },
  browser_version: {
    ...UNKNOWN,
    kind: 'version',
    filters: [],
    label: 'Browser version',
    list: list('browser_versions', 'Devices', 'Browser versions', 'Browser usage by browser and version'),
  },
  os_name: {
    ...UNKNOWN,
    kind: 'text',
    ignoresCase: true,
    filters: WEBSITE,
    label: 'System',
    list: list('os_name', 'Devices', 'Systems', 'Operating system breakdown'),
  },
  screen: {
    ...UNKNOWN,
    kind: 'text',
    filters: [],
    label: 'Screen',
    list: {
      ...list('screen_resolutions', 'Devices', 'Screens', 'Page views and visitors by screen resolution'),
      publicAccess: false,
      withoutPercentage: true,
    },
  },
} as const satisfies Readonly<Record<string, AttributeDeclaration>>;

type Declared = typeof ATTRIBUTES;
type AttributeName = keyof Declared;

/** The names of the attributes whose declaration has these parts. */
type NamesWith<Parts> = { [Name in AttributeName]: Declared[Name] extends Parts ? Name : never }[AttributeName];

export type SessionAttribute = NamesWith<{ of: 'session' }>;
/** The attributes of sessions that have a list. */
export type ListedAttribute = NamesWith<{ of: 'session'; list: object }>;
export type LinkFilterName = NamesWith<{ filters: typeof BOTH }>;
export type WebsiteFilterName = NamesWith<{ filters: typeof WEBSITE | typeof BOTH }>;

const NAMED: ReadonlyMap<string, AttributeDeclaration> = new Map(Object.entries(ATTRIBUTES));

export const attributeNamed = (name: string): AttributeDeclaration | undefined => NAMED.get(name);

const namesOf = <Name extends AttributeName>(isWanted: (declared: AttributeDeclaration) => boolean): readonly Name[] =>
  [...NAMED].flatMap(([name, declared]) => (isWanted(declared) ? [name as Name] : []));

export const SESSION_ATTRIBUTES = namesOf<SessionAttribute>(({ of }) => of === 'session');
export const LISTED_ATTRIBUTES = namesOf<ListedAttribute>(({ of, list }) => of === 'session' && list !== undefined);
export const LINK_FILTERS = namesOf<LinkFilterName>(({ filters }) => filters.includes('link'));
export const WEBSITE_FILTERS = namesOf<WebsiteFilterName>(({ filters }) => filters.includes('website'));

/** The name that rows show in place of pages that a share does not name. */
export const ANOTHER_PAGE = 'another page';

/** The metrics of vitals by their place (from 0), which is how the read models name them. */
export const VITAL_METRICS = ['LCP', 'FCP', 'CLS', 'INP', 'TTFB', 'FPS'] as const;

/** `link_kind` of an outgoing link; an own download is from the website's domain. */
export const LINK_KIND = { link: 0, download: 1, ownDownload: 2 } as const;

interface EventFilter {
  /** The field of which unit: the others have none. */
  readonly unit: string;
  readonly field: string;
  /** The values that the field may have, by the names that people give it. */
  readonly values: Readonly<Record<string, readonly number[]>>;
  /** The query type that has a row where anything passes. */
  readonly list: string;
}

const EVENT_FILTER_NAMES = ['metric_name', 'link_kind'] as const;

/** The filter of types whose rows are about a metric, such as LCP. */
export const METRIC_FILTER = EVENT_FILTER_NAMES[0];

/** Filters of the types about one kind of event, on a field whose numbers have names. */
export const EVENT_FILTERS = /* @__PURE__ */ eventFilters(); // the console bundles none of it

function eventFilters() {
  return {
    [METRIC_FILTER]: {
      unit: 'vitals',
      field: 'metric',
      list: 'vitals_overview',
      values: Object.fromEntries(VITAL_METRICS.map((metric, place) => [metric, [place]])),
    },
    link_kind: {
      unit: 'outgoing_links',
      field: 'link_kind',
      list: 'outbound_links',
      values: { link: [LINK_KIND.link], download: [LINK_KIND.download, LINK_KIND.ownDownload] },
    },
  } as const satisfies Readonly<Record<(typeof EVENT_FILTER_NAMES)[number], EventFilter>>;
}

export const eventFilterNamed = (name: string): EventFilter | undefined =>
  Object.hasOwn(EVENT_FILTERS, name) ? EVENT_FILTERS[name as keyof typeof EVENT_FILTERS] : undefined;

/** Returns whether a filter on it selects single hits; on all others it selects sessions. */
export const isOfHits = (name: string): boolean =>
  EVENT_FILTER_NAMES.some((own) => own === name) || ['event', 'view'].includes(NAMED.get(name)?.of ?? '');

/** Filters that name one visitor or session, by the ids in answers. */
const ID_FILTERS = ['session_id', 'visitor_id'] as const;
export type IdFilter = (typeof ID_FILTERS)[number];

export const isIdFilter = (field: string): field is IdFilter => (ID_FILTERS as readonly string[]).includes(field);
