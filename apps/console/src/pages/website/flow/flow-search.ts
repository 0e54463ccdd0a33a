import { optionalText } from '../../search-params';
import { oneOf } from '../view/view-search';

export const DIRECTIONS = [
  ['from', 'What follows'],
  ['to', 'What leads to it'],
] as const;

export const KINDS = [
  ['page', 'Pages'],
  ['event', 'Events'],
] as const;

export const STEPS = [
  ['1', 'One step'],
  ['2', 'Two steps'],
  ['3', 'Three steps'],
  ['4', 'Four steps'],
  ['5', 'Five steps'],
] as const;

/** Which journeys of sessions are drawn. */
export interface FlowSearch {
  readonly direction?: (typeof DIRECTIONS)[number][0];
  /** Of where they begin, and of what they lead through. */
  readonly kind?: (typeof KINDS)[number][0];
  readonly by?: (typeof KINDS)[number][0];
  readonly steps?: (typeof STEPS)[number][0];
  /** The page or event where they begin. */
  readonly start?: string;
}

export const readFlow = (search: Record<string, unknown>): FlowSearch => ({
  ...oneOf(search, 'direction', DIRECTIONS),
  ...oneOf(search, 'kind', KINDS),
  ...oneOf(search, 'by', KINDS),
  ...oneOf({ steps: String(search['steps']) }, 'steps', STEPS),
  ...optionalText(search, 'start'),
});
