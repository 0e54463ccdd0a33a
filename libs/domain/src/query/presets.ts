import { addDays } from '../time/zones';

/** Inclusive days, `YYYY-MM-DD`. */
export interface Days {
  readonly startDate: string;
  readonly endDate: string;
}

const lastDays = (count: number) => (today: string) => ({ startDate: addDays(today, 1 - count), endDate: today });

/** Monday is 0, as in ISO 8601. */
const weekday = (day: string): number => (new Date(`${day}T00:00:00Z`).getUTCDay() + 6) % 7;
const monday = (day: string): string => addDays(day, -weekday(day));
const firstOfMonth = (day: string): string => `${day.slice(0, 7)}-01`;

/** The named ranges, each from the local date of today. */
const PRESET_DAYS = {
  today: lastDays(1),
  yesterday: (today) => ({ startDate: addDays(today, -1), endDate: addDays(today, -1) }),
  last_7d: lastDays(7),
  last_14d: lastDays(14),
  last_30d: lastDays(30),
  last_90d: lastDays(90),
  this_week: (today) => ({ startDate: monday(today), endDate: today }),
  last_week: (today) => ({ startDate: addDays(monday(today), -7), endDate: addDays(monday(today), -1) }),
  this_month: (today) => ({ startDate: firstOfMonth(today), endDate: today }),
  last_month: (today) => {
    const endDate = addDays(firstOfMonth(today), -1);
    return { startDate: firstOfMonth(endDate), endDate };
  },
  this_year: (today) => ({ startDate: `${today.slice(0, 4)}-01-01`, endDate: today }),
} satisfies Record<string, (today: string) => Days>;

type Preset = keyof typeof PRESET_DAYS;

export const PRESETS = Object.keys(PRESET_DAYS) as readonly Preset[];

export const isPreset = (name: string): name is Preset => Object.hasOwn(PRESET_DAYS, name);

export const daysOfPreset = (preset: Preset, today: string): Days => PRESET_DAYS[preset](today);
