import { sql, type Sql } from '@ledgerline/platform/database/sql';

/** Of rows (path, target, times) the target of each path that comes most often; of equal ones the first by its text. */
export const mostFrequent = (counted: Sql): Sql => sql`
    select distinct on (c.path) c.path, c.target
    from (${counted}) c join dictionary d on d.id = c.target
    order by c.path, c.times desc, d.text collate "C"`;
