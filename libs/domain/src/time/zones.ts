import type { Calendar } from '@ledgerline/contracts/sessions/local-session';
import { FIFTEEN_MINUTES_MS, blockStart } from './fifteen-minutes';

const SECOND_MS = 1000;
const HOUR_MS = 60 * 60_000;
const DAY_MS = 24 * HOUR_MS;

/** Local time is UTC plus a multiple of 15 minutes that changes at multiples of 15 minutes only; see `measureOffset`. */
interface Zone {
  readonly format: Intl.DateTimeFormat;
  /** Offset in ms by number of the 15-minute interval since the epoch. */
  readonly offsets: Map<number, number>;
}

/** By canonical name, so that there are never more than zones. */
const zones = new Map<string, Zone>();

const MAX_OFFSETS = 500_000;

/** The number of offsets all zones hold. */
let offsetCount = 0;

/** The canonical name of an IANA time zone that this runtime supports, from any name of it, in any case; undefined if none. */
export function supportedZone(name: string): string | undefined {
  const spelling = zoneNamed(name);
  if (spelling === undefined) return undefined;
  try {
    zoneOf(spelling);
    return spelling;
  } catch {
    return undefined;
  }
}

/** True for an IANA time zone name, in any case, that this runtime supports. */
export const isZone = (name: string): boolean => supportedZone(name) !== undefined;

/** Returns what to add to UTC to get local time at that instant, in ms. @throws RangeError for an unknown zone */
export function offsetAt(at: number, name: string): number {
  if (name === 'UTC') return 0;
  const zone = zones.get(name) ?? zoneOf(zoneNamed(name) ?? name);
  const interval = Math.floor(at / FIFTEEN_MINUTES_MS);
  let offset = zone.offsets.get(interval);
  if (offset === undefined) {
    offset = measureOffset((interval + 1) * FIFTEEN_MINUTES_MS - SECOND_MS, zone.format);
    if (offsetCount >= MAX_OFFSETS) clearOffsets();
    zone.offsets.set(interval, offset);
    offsetCount++;
  }
  return offset;
}

/** The local calendar day as `YYYY-MM-DD`. */
export const dayOf = (at: number, zone: string): string => dayName(Math.floor((at + offsetAt(at, zone)) / DAY_MS));

/** Clocks that go back by less than this repeat hours; by this or more, the second pass is of other hours. */
const REPEATED_WITHIN_MS = 2 * HOUR_MS;

/**
 * The instant (epoch ms) at which the local hour of `at` first began. An hour that is repeated, or a part of it, is one
 * hour, also where the other pass does not directly precede: Pacific/Chatham goes from 03:45 back to 02:45.
 */
export function hourOf(at: number, zone: string): number {
  const offset = offsetAt(at, zone);
  const hour = localHour(at, offset);
  const searched = at - HOUR_MS - REPEATED_WITHIN_MS;
  if (offsetAt(searched, zone) === offset) return hour * HOUR_MS - offset;
  let start = blockStart(at);
  for (let earlier = start; earlier > searched; earlier -= FIFTEEN_MINUTES_MS) {
    const before = offsetAt(earlier, zone);
    if (localHour(earlier, before) === hour && before - offset < REPEATED_WITHIN_MS) start = earlier;
  }
  return start;
}

const localHour = (at: number, offset: number): number => Math.floor((at + offset) / HOUR_MS);

/** The local hour as `YYYY-MM-DD HH:00:00`. */
export const hourLabel = (at: number, zone: string): string =>
  `${new Date(localHour(at, offsetAt(at, zone)) * HOUR_MS).toISOString().slice(0, 13).replace('T', ' ')}:00:00`;

/** The instant (epoch ms) at which a local day begins: the first 15-minute interval that bears its date. */
export function startOfDay(day: string, zone: string): number {
  const midnight = Date.parse(`${day}T00:00:00Z`);
  const offset = offsetAt(midnight - DAY_MS, zone);
  const isConstant = offset === offsetAt(midnight + DAY_MS, zone);
  return isConstant ? midnight - offset : searchStartOfDay(day, zone, midnight / FIFTEEN_MINUTES_MS);
}

/** Where clocks change on the day before or after. */
function searchStartOfDay(day: string, zone: string, midnight: number): number {
  let before = midnight - 17 * 4;
  let from = midnight + 17 * 4;
  while (from - before > 1) {
    const between = Math.floor((before + from) / 2);
    if (dayOf(between * FIFTEEN_MINUTES_MS, zone) < day) before = between;
    else from = between;
  }
  return from * FIFTEEN_MINUTES_MS;
}

/**
 * The first instant (epoch ms) at which clocks show this time of a day (ms since its midnight), or a later one: the first
 * of two where clocks go back, and where they go on after it if they skip it.
 */
export function instantAt(day: string, timeOfDay: number, zone: string): number {
  const local = Date.parse(`${day}T00:00:00Z`) + timeOfDay;
  const offset = offsetAt(local - DAY_MS, zone);
  if (offset === offsetAt(local + DAY_MS, zone)) return local - offset;
  let start = blockStart(local - DAY_MS);
  while (start + FIFTEEN_MINUTES_MS + offsetAt(start, zone) <= local) start += FIFTEEN_MINUTES_MS;
  return Math.max(start, local - offsetAt(start, zone));
}

/** The day `count` days later (earlier when negative). */
export const addDays = (day: string, count: number): string => dayName(dayNumber(day) + count);

/** A day as days since 1970-01-01. */
export const dayNumber = (day: string): number => Date.parse(`${day}T00:00:00Z`) / DAY_MS;

/** Returns the day (`YYYY-MM-DD`) of a number of days since 1970-01-01. */
export const dayName = (days: number): string => new Date(days * DAY_MS).toISOString().slice(0, 10);

/** True for a `YYYY-MM-DD` that exists. */
export function isCalendarDay(text: string): boolean {
  const number = /^\d{4}-\d{2}-\d{2}$/.test(text) ? dayNumber(text) : NaN;
  return !Number.isNaN(number) && dayName(number) === text;
}

function clearOffsets(): void {
  for (const { offsets } of zones.values()) offsets.clear();
  offsetCount = 0;
}

function zoneOf(name: string): Zone {
  let zone = zones.get(name);
  if (!zone) {
    zone = { format: formatFor(name), offsets: new Map() };
    zones.set(name, zone);
  }
  return zone;
}

const formatFor = (timeZone: string) =>
  new Intl.DateTimeFormat('en-US', {
    timeZone,
    hourCycle: 'h23',
    year: 'numeric',
    month: 'numeric',
    day: 'numeric',
    hour: 'numeric',
    minute: 'numeric',
    second: 'numeric',
    era: 'short',
  });

/**
 * The offset at the end of a 15-minute interval, rounded to 15 minutes: clocks that change at 00:01 (St. John's until
 * 2011, Casey until 2022) change at midnight, so that days and hours consist of whole intervals. Nothing else is rounded
 * since 1980.
 */
function measureOffset(at: number, format: Intl.DateTimeFormat): number {
  const part: Partial<Record<Intl.DateTimeFormatPartTypes, number>> = {};
  for (const { type, value } of format.formatToParts(at)) part[type] = Number(value);
  const { year = 0, month = 0, day = 0, hour = 0, minute = 0, second = 0 } = part;
  const exact = Date.UTC(year, month - 1, day, hour, minute, second) - at;
  return Math.round(exact / FIFTEEN_MINUTES_MS) * FIFTEEN_MINUTES_MS;
}

const calendars = new Map<string, Calendar>();

export function calendarOf(zone: string): Calendar {
  let calendar = calendars.get(zone);
  if (!calendar) calendars.set(zone, (calendar = { day: (at) => Math.floor((at + offsetAt(at, zone)) / DAY_MS) }));
  return calendar;
}

/**
 * The other names of a zone, by its canonical one in the IANA database, in the groups of CLDR: they are of one country.
 * IANA's own links also make Oslo Berlin. TRICKY: runtimes differ, `Intl` of Node 20 calls Kolkata Calcutta.
 */
const ALIASES: Readonly<Record<string, string>> = {
  'Africa/Asmara': 'Africa/Asmera',
  'Africa/Bamako': 'Africa/Timbuktu',
  'Africa/Cairo': 'ART Egypt',
  'Africa/Maputo': 'CAT',
  'Africa/Nairobi': 'EAT',
  'Africa/Tripoli': 'Libya',
  'America/Adak': 'America/Atka US/Aleutian',
  'America/Anchorage': 'AST US/Alaska',
  'America/Argentina/Buenos_Aires': 'AGT America/Buenos_Aires',
  'America/Argentina/Catamarca': 'America/Catamarca America/Argentina/ComodRivadavia',
  'America/Argentina/Cordoba': 'America/Cordoba America/Rosario',
  'America/Argentina/Jujuy': 'America/Jujuy',
  'America/Argentina/Mendoza': 'America/Mendoza',
  'America/Atikokan': 'America/Coral_Harbour',
  'America/Chicago': 'CST CST6CDT US/Central',
  'America/Denver': 'MST7MDT Navajo America/Shiprock US/Mountain',
  'America/Detroit': 'US/Michigan',
  'America/Edmonton': 'America/Yellowknife Canada/Mountain',
  'America/Halifax': 'Canada/Atlantic',
  'America/Havana': 'Cuba',
  'America/Indiana/Indianapolis': 'IET America/Fort_Wayne America/Indianapolis US/East-Indiana',
  'America/Indiana/Knox': 'America/Knox_IN US/Indiana-Starke',
  'America/Iqaluit': 'America/Pangnirtung',
  'America/Jamaica': 'Jamaica',
  'America/Kentucky/Louisville': 'America/Louisville',
  'America/Los_Angeles': 'PST PST8PDT US/Pacific US/Pacific-New',
  'America/Manaus': 'Brazil/West',
  'America/Mazatlan': 'Mexico/BajaSur',
  'America/Mexico_City': 'Mexico/General',
  'America/New_York': 'EST5EDT US/Eastern',
  'America/Noronha': 'Brazil/DeNoronha',
  'America/Nuuk': 'America/Godthab',
  'America/Panama': 'EST',
  'America/Phoenix': 'MST PNT US/Arizona',
  'America/Puerto_Rico': 'PRT',
  'America/Regina': 'Canada/East-Saskatchewan Canada/Saskatchewan',
  'America/Rio_Branco': 'America/Porto_Acre Brazil/Acre',
  'America/Santiago': 'Chile/Continental',
  'America/Sao_Paulo': 'BET Brazil/East',
  'America/St_Johns': 'CNT Canada/Newfoundland',
  'America/St_Thomas': 'America/Virgin',
  'America/Tijuana': 'America/Ensenada America/Santa_Isabel Mexico/BajaNorte',
  'America/Toronto': 'America/Montreal America/Nipigon America/Thunder_Bay Canada/Eastern',
  'America/Vancouver': 'Canada/Pacific',
  'America/Whitehorse': 'Canada/Yukon',
  'America/Winnipeg': 'America/Rainy_River Canada/Central',
  'Antarctica/McMurdo': 'Antarctica/South_Pole',
  'Arctic/Longyearbyen': 'Atlantic/Jan_Mayen',
  'Asia/Ashgabat': 'Asia/Ashkhabad',
  'Asia/Dhaka': 'BST Asia/Dacca',
  'Asia/Ho_Chi_Minh': 'VST Asia/Saigon',
  'Asia/Hong_Kong': 'Hongkong',
  'Asia/Jerusalem': 'Israel Asia/Tel_Aviv',
  'Asia/Karachi': 'PLT',
  'Asia/Kathmandu': 'Asia/Katmandu',
  'Asia/Kolkata': 'IST Asia/Calcutta',
  'Asia/Macau': 'Asia/Macao',
  'Asia/Makassar': 'Asia/Ujung_Pandang',
  'Asia/Nicosia': 'Europe/Nicosia',
  'Asia/Seoul': 'ROK',
  'Asia/Shanghai': 'CTT PRC Asia/Chongqing Asia/Chungking Asia/Harbin',
  'Asia/Singapore': 'Singapore',
  'Asia/Taipei': 'ROC',
  'Asia/Tehran': 'Iran',
  'Asia/Thimphu': 'Asia/Thimbu',
  'Asia/Tokyo': 'JST Japan',
  'Asia/Ulaanbaatar': 'Asia/Choibalsan Asia/Ulan_Bator',
  'Asia/Urumqi': 'Asia/Kashgar',
  'Asia/Yangon': 'Asia/Rangoon',
  'Asia/Yerevan': 'NET',
  'Atlantic/Faroe': 'Atlantic/Faeroe',
  'Atlantic/Reykjavik': 'Iceland',
  'Australia/Adelaide': 'Australia/South',
  'Australia/Brisbane': 'Australia/Queensland',
  'Australia/Broken_Hill': 'Australia/Yancowinna',
  'Australia/Darwin': 'ACT Australia/North',
  'Australia/Hobart': 'Australia/Currie Australia/Tasmania',
  'Australia/Lord_Howe': 'Australia/LHI',
  'Australia/Melbourne': 'Australia/Victoria',
  'Australia/Perth': 'Australia/West',
  'Australia/Sydney': 'AET Australia/ACT Australia/Canberra Australia/NSW',
  'Europe/Athens': 'EET',
  'Europe/Brussels': 'CET MET',
  'Europe/Chisinau': 'Europe/Tiraspol',
  'Europe/Dublin': 'Eire',
  'Europe/Istanbul': 'Turkey Asia/Istanbul',
  'Europe/Kyiv': 'Europe/Kiev Europe/Uzhgorod Europe/Zaporozhye',
  'Europe/Lisbon': 'Portugal WET',
  'Europe/London': 'GB GB-Eire Europe/Belfast',
  'Europe/Moscow': 'W-SU',
  'Europe/Paris': 'ECT',
  'Europe/Warsaw': 'Poland',
  'Pacific/Apia': 'MIT',
  'Pacific/Auckland': 'NST NZ',
  'Pacific/Chatham': 'NZ-CHAT',
  'Pacific/Chuuk': 'Pacific/Truk Pacific/Yap',
  'Pacific/Easter': 'Chile/EasterIsland',
  'Pacific/Guadalcanal': 'SST',
  'Pacific/Honolulu': 'HST Pacific/Johnston US/Hawaii',
  'Pacific/Kanton': 'Pacific/Enderbury',
  'Pacific/Kwajalein': 'Kwajalein',
  'Pacific/Pago_Pago': 'Pacific/Samoa US/Samoa',
  'Pacific/Pohnpei': 'Pacific/Ponape',
  UTC: 'GMT GMT+0 GMT-0 GMT0 Greenwich UCT Universal Zulu Etc/GMT Etc/GMT+0 Etc/GMT-0 Etc/GMT0 Etc/Greenwich Etc/UCT Etc/UTC Etc/Universal Etc/Zulu',
};

const hourOffsets = Array.from({ length: 27 }, (_, at) => at - 14).filter((hours) => hours !== 0);

/** The names that are neither in that table nor in the list of the runtime. */
const FURTHER = [
  ...hourOffsets.map((hours) => `Etc/GMT${hours < 0 ? '' : '+'}${hours}`),
  ...'AST4 AST4ADT CST6 CST6CDT EST5 EST5EDT HST10 MST7 MST7MDT PST8 PST8PDT YST9 YST9YDT'
    .split(' ')
    .map((name) => `SystemV/${name}`),
];

const zoneNames = [...Intl.supportedValuesOf('timeZone'), ...Object.keys(ALIASES), ...FURTHER];
const aliases = Object.entries(ALIASES).flatMap(([name, others]) =>
  others.split(' ').map((alias) => [alias, name] as const),
);

/** The name that it is known by, by each of its names in lower case. */
const canonical = new Map(
  [...zoneNames.map((name) => [name, name] as const), ...aliases].map(([name, known]) => [name.toLowerCase(), known]),
);

/** The canonical name of a time zone, from any name that it has, in any case; undefined if there is no such zone. */
export const zoneNamed = (name: string): string | undefined => canonical.get(name.toLowerCase());
