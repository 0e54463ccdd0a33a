import { KNOWN_SOURCES, type KnownSource, type SourceType } from './known-sources';

interface Source {
  /** Display name. */
  readonly name: string;
  /** The canonical domain rows are grouped by; '' = direct. */
  readonly domain: string;
  readonly type: SourceType;
}

const DIRECT: Source = { name: 'Direct', domain: '', type: 'direct' };

/** Where a visitor came from, by a host in lower case or by a canonical domain: `sourceOf(sourceOf(x).domain)` = `sourceOf(x)`. */
export function sourceOf(host: string): Source {
  if (host === '') return DIRECT;
  const known = remembered.get(host);
  if (known) return known;
  const source = classify(host);
  if (remembered.size >= 50_000) remembered.clear();
  remembered.set(host, source);
  return source;
}

/** Of a referrer as intake recorded it; none, one without a host, and the website's own are direct. */
export const sourceOfReferrer = (referrer?: { readonly host?: string | null; readonly own: boolean } | null): Source =>
  referrer?.own ? DIRECT : sourceOf(referrer?.host ?? '');

/** The canonical domain of the known source of that display name, in any case. */
export function domainOfSource(name: string): string | undefined {
  const wanted = name.toLowerCase();
  return KNOWN_SOURCES.find((source) => source.name.toLowerCase() === wanted)?.domain;
}

const remembered = new Map<string, Source>();

const byHost = new Map<string, KnownSource>();
const byName = new Map<string, KnownSource>();
for (const source of KNOWN_SOURCES) {
  for (const host of source.hosts) {
    if (host.endsWith('.*')) byName.set(host.slice(0, -2), source);
    else byHost.set(host, source);
  }
}

function classify(host: string): Source {
  const labels = host.split('.');
  for (let first = 0; first < labels.length; first++) {
    const known = byHost.get(labels.slice(first).join('.')) ?? underAnySuffix(labels, first);
    if (known) return { name: known.name, domain: known.domain, type: known.type };
  }
  const domain = host.replace(/^(www\.)+(?=[^.]+\.)/, '');
  return { name: domain, domain, type: 'other' };
}

/** `google.*`: the name, then a public suffix of one or two short labels (`de`, `co.uk`, `com.au`). */
function underAnySuffix(labels: readonly string[], first: number): KnownSource | undefined {
  const last = labels.length - 1;
  if (isCountry(labels[last]) && isSecondLevel(labels[last - 1])) return byName.get(labels.slice(first, -2).join('.'));
  return isTopLevel(labels[last]) ? byName.get(labels.slice(first, -1).join('.')) : undefined;
}

const isCountry = (label = '') => /^[a-z]{2}$/.test(label);
const isSecondLevel = (label = '') => ['co', 'com', 'org', 'net', 'ne', 'or'].includes(label);
const isTopLevel = (label = '') => isCountry(label) || ['com', 'net', 'org', 'cat'].includes(label);
