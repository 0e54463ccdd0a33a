/** One event of a website inside a session; kind, text and extra as in `HIT` of the read model `sessions`. */
export interface SessionHit {
  /** Epoch ms. */
  readonly at: number;
  /** 32 hex digits, which sort like the event's id. */
  readonly id: string;
  readonly kind: number;
  readonly path: number;
  readonly text: number;
  readonly extra: number;
}

/** The order of events everywhere: by time, then by id. */
export const inOrder = (a: SessionHit, b: SessionHit): number =>
  a.at - b.at || (a.id < b.id ? -1 : a.id > b.id ? 1 : 0);
