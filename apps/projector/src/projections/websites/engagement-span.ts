import type { EngagementMeasured } from '@ledgerline/contracts/events/observed-events';
import type { JsonObject } from '@ledgerline/contracts/json';
import type { PageReport } from '@ledgerline/domain/sessions/page-report';

/** A measure of a span by its name on the wire; null = not reported. */
export function measureIn(span: JsonObject, name: string): number | null {
  const value = span[name];
  return typeof value === 'number' ? value : null;
}

export const countIn = (span: JsonObject, name: string): number => measureIn(span, name) ?? 0;

export function textIn(span: JsonObject, name: string): string | null {
  const value = span[name];
  return typeof value === 'string' ? value : null;
}

/** Without a sum of its interactions a span has those that it counts one by one. */
export function reportIn({ data: { span } }: EngagementMeasured): PageReport {
  const each = ['clickCount', 'keyCount', 'scrollCount'].map((name) => measureIn(span, name));
  const known = each.filter((count) => count !== null);
  const sum = known.length === 0 ? null : known.reduce((total, count) => total + count, 0);
  return { scrollDepth: measureIn(span, 'maxScrollDepth'), interactions: measureIn(span, 'interactionCount') ?? sum };
}

/** As an integer column holds them. */
export const wholeMilliseconds = (seconds: number | null): number | null =>
  seconds === null ? null : Math.min(Math.max(Math.round(seconds * 1000), 0), 0x7fffffff);
