import { Random } from '../../tools/traffic/random';

/** A hit of a simulated website, epoch ms. */
export interface SimulatedHit {
  readonly at: number;
  readonly receivedAt: number;
}

export const MINUTE = 60_000;
export const HOUR = 60 * MINUTE;
export const DAY = 24 * HOUR;

/** The beginning of the month that alerts decide on, in which clocks of Berlin go forward. */
export const MONTH = Date.parse('2027-03-01T00:00Z');
export const MONTH_ENDS = Date.parse('2027-03-31T00:00Z');

export type PlantKind = 'spike' | 'drop' | 'outage' | 'dead tracker' | 'late hits' | 'stalled';

/** What is planted: from one time to another (epoch ms), hours of UTC. */
export interface Plant {
  readonly kind: PlantKind;
  readonly from: number;
  readonly to: number;
}

const plant = (kind: PlantKind, day: number, hour: number, hours: number): Plant => {
  const from = MONTH + day * DAY + hour * HOUR;
  return { kind, from, to: from + hours * HOUR };
};

export const PLANTS: readonly Plant[] = [
  plant('spike', 2, 10, 1),
  plant('late hits', 4, 13, 2),
  plant('drop', 6, 12, 2),
  plant('outage', 9, 14, 2),
  plant('dead tracker', 12, 9, 3),
  plant('spike', 15, 18, 1),
  plant('late hits', 17, 9, 2),
  plant('stalled', 20, 11, 2),
  plant('drop', 23, 8, 2),
  plant('spike', 26, 20, 1),
  plant('outage', 28, 10, 3),
];

export const plantAt = (at: number): Plant | undefined => PLANTS.find(({ from, to }) => from <= at && at < to);

/** Hits an hour of each kind of hour. */
const PER_HOUR = 60;
const OF_PLANT: Readonly<Record<PlantKind, number>> = {
  spike: 400,
  drop: 18,
  outage: 0,
  'dead tracker': 0,
  'late hits': PER_HOUR,
  stalled: PER_HOUR,
};

/** Eight weeks of hits, by the time of their arrival: most at once, of some hours most of them hours later. */
export function simulatedHits(seed: number): readonly SimulatedHit[] {
  const random = new Random(seed);
  const hits: SimulatedHit[] = [];
  for (let minute = MONTH - 28 * DAY - HOUR; minute < MONTH_ENDS; minute += MINUTE) {
    const planted = plantAt(minute);
    const expected = (planted ? OF_PLANT[planted.kind] : PER_HOUR) / 60;
    const count = Math.floor(expected) + (random.chance(expected % 1) ? 1 : 0);
    for (let n = 0; n < count; n++) {
      const at = minute + random.below(MINUTE);
      const isLate = planted?.kind === 'late hits' ? random.chance(0.8) : random.chance(0.01);
      const delay = isLate ? 2 * HOUR + random.below(HOUR) : random.below(20_000);
      hits.push({ at, receivedAt: at + delay });
    }
  }
  return hits.toSorted((a, b) => a.receivedAt - b.receivedAt);
}
