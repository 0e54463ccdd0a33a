import { SKIP_REASONS, type SkipReason } from './classify';

/** The result of an import, so far. */
export interface ImportReport {
  lines: number;
  /** Page views that were not there before, and those that were. */
  added: number;
  known: number;
  /** Page views, of both, beyond the daily limit of hits per visitor. */
  withoutVisitor: number;
  readonly skipped: Record<SkipReason, number>;
  /** The first lines that could not be read, as `file:number`. */
  readonly unparseable: string[];
  /** Sentences: what deserves a look, and what failed while the rest was imported. */
  readonly warnings: string[];
  readonly failures: string[];
}

export const emptyReport = (): ImportReport => ({
  lines: 0,
  added: 0,
  known: 0,
  withoutVisitor: 0,
  skipped: Object.fromEntries(Object.keys(SKIP_REASONS).map((reason) => [reason, 0])) as Record<SkipReason, number>,
  unparseable: [],
  warnings: [],
  failures: [],
});

const WHY_COMMON =
  'the common log format has no user agents, without which people cannot be told from bots; log in the combined format.';

/** Why there are no page views where no line could have been one; undefined where some could. */
export function whyNothing({ lines, skipped }: ImportReport): string | undefined {
  if (lines === 0 || lines > skipped.unparseable + skipped.common) return undefined;
  return `Nothing was imported: ${skipped.common > 0 ? WHY_COMMON : 'no line is in the combined format.'}`;
}

/** The same for some of the lines. */
export function whyFewer({ lines, skipped: { common, unparseable } }: ImportReport): string | undefined {
  if (common === 0 || lines === common + unparseable) return undefined;
  return `${common.toLocaleString('en-US')} lines were not counted: ${WHY_COMMON}`;
}
