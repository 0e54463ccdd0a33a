import { rememberOfPerson, rememberedOfPerson } from '../../../layout/remembered';
import { optionalText } from '../../search-params';
import { type RangeSearch, type ViewSearch, readAddress } from './view-search';

/** The parts of a view that a person chose last, and looks at other websites and links with. */
const PARTS = ['preset', 'compare', 'timezone'] as const;

const VIEW = 'view';

/** Keeps what is chosen anew: undefined forgets a part, others stay. */
export function rememberView(chosen: Readonly<Record<string, unknown>>): void {
  const parts = PARTS.filter((part) => part in chosen).map((part) => [part, chosen[part]] as const);
  if (parts.length > 0) rememberOfPerson(VIEW, JSON.stringify({ ...rememberedView(), ...Object.fromEntries(parts) }));
}

/** What an address says; without a range it is the one that was chosen last, and so are other parts. */
export function readView(search: Record<string, unknown>): ViewSearch {
  const given = readAddress(search);
  const { preset, ...others } = readAddress(rememberedView());
  const isRange = given.preset !== undefined || given.from !== undefined;
  return { ...others, ...(isRange || preset === undefined ? {} : { preset }), ...given };
}

/** The same of a website, which may have segments. */
export const readWebsiteView = (search: Record<string, unknown>): ViewSearch => ({
  ...readView(search),
  ...optionalText(search, 'segment'),
});

/** Without filters, where several websites or links are looked at. */
export function readRange(search: Record<string, unknown>): RangeSearch {
  const { filters: _, granularity: __, ...range } = readView(search);
  return range;
}

/** As it was written, perhaps by another version. */
function rememberedView(): Readonly<Record<string, unknown>> {
  try {
    const value: unknown = JSON.parse(rememberedOfPerson(VIEW) ?? '{}');
    return typeof value === 'object' && value !== null ? { ...value } : {};
  } catch {
    return {}; // other code wrote it
  }
}
