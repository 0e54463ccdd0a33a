import { SESSION_FLAG } from '@ledgerline/contracts/read-models/session-days';
import type { Numbers } from '@ledgerline/contracts/read-models/session-chunk';
import type { SelectedSessions, SelectedUnits } from './selected-sessions';
import { gathered, isSessionField, itemsOf, placesWith, unknownField, type Asked, type ItemSource } from './items';

/**
 * The counted sessions, with what they have as a whole, whatever lies in the range: `at` and `entry_path` of the first page
 * view, `exit_path` of the last one, and 1 in `bounced`.
 */
export const COUNTED_SESSIONS: ItemSource = {
  units: ['views'],
  fields: ['flags'],
  of(asked) {
    const { sessions } = asked;
    const places = placesWith(sessions.isCounted);
    return itemsOf(asked, {
      size: places.length,
      places,
      field: (name) => gathered(ofSessions(name, sessions), places),
    });
  },
};

/** The same with `events`: how many page views, custom events and outgoing links. */
export const COUNTED_SESSIONS_WITH_EVENTS: ItemSource = {
  ...COUNTED_SESSIONS,
  units: ['views', 'custom_events', 'outgoing_links'],
};

function ofSessions(name: string, sessions: SelectedSessions): Numbers {
  switch (name) {
    case 'at':
    case 'entry_path':
    case 'exit_path':
      return ofViews(name, sessions);
    case 'events':
      return sessions.totals.views.map((views, place) => views + (sessions.totals.actions[place] ?? 0));
    case 'bounced':
      return sessions.field('flags').map((flags) => (flags & SESSION_FLAG.bounced ? 1 : 0));
    default:
      return isSessionField(name) ? sessions.field(name) : unknownField(name);
  }
}

/** Of the first or the last page view of each session. */
function ofViews(name: 'at' | 'entry_path' | 'exit_path', { size, allUnits }: SelectedSessions): Numbers {
  const views = allUnits('views');
  const column = name === 'at' ? views.at : views.field('path');
  const found = new Float64Array(size);
  const { places } = views;
  if (name === 'exit_path') for (let at = 0; at < places.length; at++) found[places[at] ?? 0] = column[at] ?? 0;
  else for (let at = places.length - 1; at >= 0; at--) found[places[at] ?? 0] = column[at] ?? 0;
  return found;
}

/**
 * Steps from one page view of a counted session to the next one, with the paths of both (`from_path`, `to_path`); filters on
 * pages select those from or to a selected page view.
 */
export const STEPS: ItemSource = {
  units: ['views'],
  of(asked: Asked) {
    const { sessions } = asked;
    const views = sessions.allUnits('views');
    const targets = placesWith(isTarget(views, sessions.isCounted));
    const from = targets.map((at) => at - 1);
    const paths = views.field('path');
    const columns: Readonly<Record<string, Numbers>> = {
      from_path: gathered(paths, from),
      to_path: gathered(paths, targets),
    };
    const field = (name: string) => columns[name] ?? unknownField(name);
    return itemsOf(asked, { size: targets.length, places: gathered(views.places, targets), field });
  },
};

/** 1 = a step leads to this page view. */
function isTarget(
  { size, places, isSelected }: SelectedUnits & { isSelected: Uint8Array },
  isCounted: Uint8Array,
): Uint8Array {
  const marks = new Uint8Array(size);
  for (let at = 1; at < size; at++) {
    const place = places[at] ?? 0;
    if (place !== places[at - 1] || isCounted[place] !== 1) continue;
    marks[at] = isSelected[at] === 1 || isSelected[at - 1] === 1 ? 1 : 0;
  }
  return marks;
}
