import { Revenues, MICROS_PER_CONVERSION } from './amounts';
import { unitOfKind, unitsMeeting } from './compiled-condition';
import { amountsFor, type NamedGoal } from './goals';
import { type ColumnTable, tableOfRows } from './tables';
import { conditionAt, tiesTable, timelineOf, type GoalScope } from './timeline';

/**
 * The models by which clicks share a conversion: its first click, its last one, all alike, or both ends 40 % each and
 * the others the rest.
 */
export const SHARE_MODELS = ['first', 'last', 'linear', 'position'] as const;
export type ShareModel = (typeof SHARE_MODELS)[number];

/**
 * Returns what each of so many clicks, in order, gets of a conversion, in millionths; what does not divide is given to
 * the earliest.
 */
export function sharesOf(model: ShareModel, clicks: number): readonly number[] {
  const shares = Array.from({ length: clicks }, () => 0);
  if (model === 'first') shares[0] = MICROS_PER_CONVERSION;
  else if (model === 'last') shares[clicks - 1] = MICROS_PER_CONVERSION;
  else if (model === 'linear' || clicks <= 2) shares.fill(Math.floor(MICROS_PER_CONVERSION / clicks));
  else {
    shares.fill(Math.floor((MICROS_PER_CONVERSION * 0.2) / (clicks - 2)));
    shares[0] = MICROS_PER_CONVERSION * 0.4;
    shares[clicks - 1] = MICROS_PER_CONVERSION * 0.4;
  }
  const rest = MICROS_PER_CONVERSION - shares.reduce((sum, share) => sum + share, 0);
  return shares.map((share, nth) => (nth === 0 ? share + rest : share));
}

export interface AttributionOptions {
  readonly goal: NamedGoal;
  readonly model: ShareModel;
  /** Before a conversion. */
  readonly windowMs: number;
}

/** No text has this id. */
const NO_LINK = -1;

interface OfLink {
  clicks: number;
  readonly visitors: Set<number>;
  /** In millionths. */
  conversions: number;
  readonly amounts: Revenues;
}

/**
 * A row for each link (the text id of its id in `link`) with clicks in the range or a share of a conversion there, and one
 * for conversions without a click. A conversion is shared among the clicks of its visitor in the window before it.
 */
export function countLinkConversions(scope: GoalScope, { goal, model, windowMs }: AttributionOptions): ColumnTable {
  const { sessions } = scope;
  const ofGoal = conditionAt(scope, 0);
  const ofClicks = conditionAt(scope, 1);
  const clicks = sessions.unit('link_clicks');
  const conversions = sessions.unit(unitOfKind(ofGoal.kind));
  const isClick = unitsMeeting(ofClicks, sessions);
  const meets = unitsMeeting(ofGoal, sessions);
  const isConversion = meets.map((mark, at) => mark & (conversions.isIn[at] ?? 0));
  const links = clicks.field('link');
  const { numbers } = sessions.visitors;
  const rows = new Map<number, OfLink>();
  const rowOf = (link: number): OfLink => {
    const row = rows.get(link) ?? { clicks: 0, visitors: new Set(), conversions: 0, amounts: new Revenues() };
    rows.set(link, row);
    return row;
  };
  for (let at = 0; at < isClick.length; at++) {
    if (isClick[at] === 0 || clicks.isIn[at] !== 1) continue;
    const row = rowOf(links[at] ?? 0);
    const visitor = numbers[clicks.places[at] ?? 0] ?? -1;
    row.clicks++;
    if (visitor >= 0) row.visitors.add(visitor);
  }
  const shared = clicksBefore(scope, { isClick, isConversion, windowMs });
  if (!('of' in shared)) return tiesTable(shared);
  const add = amountsFor(goal, ofGoal, scope);
  let total = 0;
  for (let at = 0; at < isConversion.length; at++) {
    if (isConversion[at] === 0) continue;
    total++;
    const before = shared.of(at);
    const shares = before.length === 0 ? [MICROS_PER_CONVERSION] : sharesOf(model, before.length);
    for (const [nth, share] of shares.entries()) {
      if (share === 0) continue;
      const row = rowOf(before.length === 0 ? NO_LINK : (links[before[nth] ?? 0] ?? 0));
      row.conversions += share;
      add(row.amounts, at, -1, share);
    }
  }
  return tableOfRows(
    [...rows].map(([link, { clicks: count, visitors, conversions: share, amounts }]) => ({
      link: Math.max(link, 0),
      is_none: link === NO_LINK,
      clicks: count,
      visitors: visitors.size,
      conversions: share / MICROS_PER_CONVERSION,
      whole: total,
      revenue: amounts.rows,
    })),
    ['link'],
  );
}

interface Wanted {
  readonly isClick: Uint8Array;
  readonly isConversion: Uint8Array;
  readonly windowMs: number;
}

/** The clicks of its visitor before a conversion, in order; or the ties whose order has to be known before. */
function clicksBefore(scope: GoalScope, { isClick, isConversion, windowMs }: Wanted) {
  const unit = unitOfKind(conditionAt(scope, 0).kind);
  const ofClicks = { unit: 'link_clicks', isWanted: isClick } as const;
  // conversions that are clicks are of the same units
  const isOfClicks = unit === ofClicks.unit;
  const timeline = timelineOf(scope, 'visitor', isOfClicks ? [ofClicks] : [ofClicks, { unit, isWanted: isConversion }]);
  if (!('starts' in timeline)) return timeline;
  const { starts, kinds, places, times } = timeline;
  const found = new Map<number, readonly number[]>();
  for (let owner = 0; owner + 1 < starts.length; owner++) {
    const before: { readonly click: number; readonly at: number }[] = [];
    for (let event = starts[owner] ?? 0; event < (starts[owner + 1] ?? 0); event++) {
      const place = places[event] ?? 0;
      const at = times[event] ?? 0;
      if (isConversion[place] === 1 && (isOfClicks || kinds[event] === 1))
        found.set(
          place,
          before.filter((click) => click.at >= at - windowMs).map(({ click }) => click),
        );
      if (kinds[event] === 0) before.push({ click: place, at });
    }
  }
  return { of: (conversion: number) => found.get(conversion) ?? [] };
}
