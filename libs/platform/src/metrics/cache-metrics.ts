import { Counter, Gauge } from 'prom-client';
import type { Metrics } from './metrics';

/** What a cache says of itself. */
interface ObservedCache {
  /** Bytes that it takes. */
  readonly size: number;
  readonly hits: number;
  readonly misses: number;
}

/** `ledgerline_<name>_cache_bytes` and `ledgerline_<name>_cache_reads_total` of a cache in the memory of this process. */
export function observeCache(
  { registry }: Pick<Metrics, 'registry'>,
  { name, bytes, reads }: { readonly name: string; readonly bytes: string; readonly reads: string },
  cache: ObservedCache,
): void {
  const registers = [registry];
  new Gauge({
    name: `ledgerline_${name}_cache_bytes`,
    help: bytes,
    registers,
    collect() {
      this.set(cache.size);
    },
  });
  new Counter({
    name: `ledgerline_${name}_cache_reads_total`,
    help: reads,
    labelNames: ['result'],
    registers,
    collect() {
      this.reset();
      this.inc({ result: 'hit' }, cache.hits);
      this.inc({ result: 'miss' }, cache.misses);
    },
  });
}
