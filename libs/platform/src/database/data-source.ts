import { DataSource, type DataSourceOptions, type EntityTarget, type ObjectLiteral } from 'typeorm';
import { GRACE_MS, sessionSetup } from './pool';

const STATEMENT_TIMEOUT_MS = 10_000;

interface EntitySource {
  readonly url: string;
  /** Shows up in `pg_stat_activity`. */
  readonly name: string;
  readonly max: number;
  readonly entities: readonly (EntityTarget<ObjectLiteral> & (new () => object))[];
}

/** TypeORM for reading and writing entities; it never changes the schema. */
export const dataSourceOptions = ({ url, name, max, entities }: EntitySource) =>
  ({
    type: 'postgres',
    url,
    applicationName: `ledgerline-${name}`,
    entities: [...entities],
    poolSize: max,
    connectTimeoutMS: 5_000,
    poolErrorHandler: () => undefined,
    extra: {
      onConnect: sessionSetup({ statementTimeoutMs: STATEMENT_TIMEOUT_MS }),
      query_timeout: STATEMENT_TIMEOUT_MS + GRACE_MS,
    },
  }) satisfies DataSourceOptions;

export const openDataSource = (options: EntitySource): Promise<DataSource> =>
  new DataSource(dataSourceOptions(options)).initialize();
