import { DataSource, type EntityTarget, type ObjectLiteral } from 'typeorm';

/** A connected TypeORM data source for reading and writing entities; it never changes the schema. */
export async function openDataSource(options: {
  readonly url: string;
  readonly name: string;
  readonly max: number;
  readonly entities: readonly (EntityTarget<ObjectLiteral> & (new () => object))[];
}): Promise<DataSource> {
  const source = new DataSource({
    type: 'postgres',
    url: options.url,
    applicationName: `ledgerline-${options.name}`,
    entities: [...options.entities],
    poolSize: options.max,
    connectTimeoutMS: 5_000,
    poolErrorHandler: () => undefined,
    extra: { statement_timeout: 10_000 },
  });
  return source.initialize();
}
