import type { Client, Pool } from 'pg';

const TABLES = ['events', 'streams', 'organization_chains', 'event_store_head'];

/** Copies the tables of the event store on Postgres to another schema, or back. */
export async function copyEvents(on: Client | Pool, from: string, to: string): Promise<void> {
  await on.query(`create schema if not exists ${to}`);
  for (const table of TABLES) {
    await on.query(`create table if not exists ${to}.${table} (like public.${table})`);
    await on.query(`delete from ${to}.${table}`);
    await on.query(`insert into ${to}.${table} select * from ${from}.${table}`);
  }
}
