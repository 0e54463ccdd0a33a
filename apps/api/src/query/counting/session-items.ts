import { SESSION_FLAG } from '@ledgerline/contracts/read-models/session-days';
import type { Numbers } from '@ledgerline/contracts/read-models/session-chunk';
import { bytes, rememberOf } from '@ledgerline/domain/session-days/scratch';
import { gathered, placesWith } from './columns';
import { itemsAt, unknownField, type Asked, type ItemSource } from './items';
import type { AllUnits, SelectedSessions } from './selected-sessions';

/**
 * The counted sessions, with what they have as a whole, whatever lies in the range: `at` and `entry_path` of the first page
 * view, `exit_path` of the last one, and 1 in `bounced`.
 */
export const COUNTED_SESSIONS: ItemSource = {
  units: ['views'],
  fields: ['flags'],
  of(asked) {
    return { ...asked, ...countedSessions(asked.sessions) };
  },
};

/** Several types of a request count the same. */
const countedSessions = rememberOf((sessions: SelectedSessions) =>
  itemsAt(sessions, placesWith(sessions.isCounted), (name) => ofSessions(name, sessions)),
);

/** The same with `events`: how many page views, custom events and outgoing links. */
export const COUNTED_SESSIONS_WITH_EVENTS: ItemSource = {
  ...COUNTED_SESSIONS,
  units: ['views', 'custom_events', 'outgoing_links'],
};

function ofSessions(name: string, { field, allUnits }: SelectedSessions): Numbers | undefined {
  switch (name) {
    case 'at':
      return allUnits('views').first('at');
    case 'entry_path':
      return allUnits('views').first('path');
    case 'exit_path':
      return allUnits('views').last('path');
    case 'events':
      return sumOf((['views', 'custom_events', 'outgoing_links'] as const).map((unit) => allUnits(unit).counts));
    case 'bounced':
      return field('flags').map((flags) => flags & SESSION_FLAG.bounced);
    default:
      return undefined;
  }
}

function sumOf([first = new Int32Array(), ...others]: readonly Int32Array[]): Int32Array {
  const sums = first.slice();
  for (const column of others) for (let at = 0; at < sums.length; at++) sums[at] = (sums[at] ?? 0) + (column[at] ?? 0);
  return sums;
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
    const paths = views.field('path');
    const columns: Readonly<Record<string, Numbers>> = {
      from_path: gathered(
        paths,
        targets.map((at) => at - 1),
      ),
      to_path: gathered(paths, targets),
    };
    const field = (name: string) => columns[name] ?? unknownField(name);
    return { ...asked, size: targets.length, places: gathered(views.places, targets), field };
  },
};

/** 1 = a step leads to this page view. */
function isTarget({ size, places, isSelected }: AllUnits, isCounted: Uint8Array): Uint8Array {
  const marks = bytes(size);
  for (let at = 1; at < size; at++) {
    const place = places[at] ?? 0;
    if (place !== places[at - 1] || isCounted[place] !== 1) continue;
    marks[at] = isSelected[at] === 1 || isSelected[at - 1] === 1 ? 1 : 0;
  }
  return marks;
}
