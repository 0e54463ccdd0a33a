/** The argument of the load generator, as JSON on its command line. */
export interface Shot {
  readonly url: string;
  readonly connections: number;
  readonly seconds: number;
  /** Requests per second over all connections; absent = as many as possible. */
  readonly rate?: number;
  /** Page views in one request; absent = GET without a body. */
  readonly events?: number;
  /** Makes event ids unlike those of every other shot. */
  readonly name: string;
}

export interface Hits {
  /** Answered as expected (2xx or 3xx), per second. */
  readonly perSecond: number;
  readonly answered: number;
  /** Answered otherwise, or not at all. */
  readonly failed: number;
  readonly p50: number;
  readonly p99: number;
}
