import { optionalText } from '../../search-params';

/** The journeys of sessions that are drawn, as the address says; the page takes what it knows. */
export interface FlowSearch {
  readonly direction?: string;
  /** The kind of where they begin, and of what they lead through. */
  readonly kind?: string;
  readonly by?: string;
  readonly steps?: string;
  /** The page or event where they begin. */
  readonly start?: string;
}

export const readFlow = (search: Record<string, unknown>): FlowSearch => ({
  ...optionalText(search, 'direction'),
  ...optionalText(search, 'kind'),
  ...optionalText(search, 'by'),
  ...optionalText(search, 'steps'),
  ...optionalText(search, 'start'),
});
