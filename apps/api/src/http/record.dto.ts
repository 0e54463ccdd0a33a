import type { Entry } from '@ledgerline/domain/registry/entries';
import { ApiProperty } from '@nestjs/swagger';

/** What every record tells of itself. */
export abstract class RecordDto {
  @ApiProperty({
    description: 'Opaque: what kind of thing it is, and a ULID',
    example: 'link_01KAJ4Q7ZJ8M3V5T9X2C6D0B1E',
  })
  id: string;

  @ApiProperty({ format: 'date-time' })
  createdAt: string;

  @ApiProperty({ format: 'date-time' })
  updatedAt: string;

  @ApiProperty({ type: 'integer', description: 'Counts its changes' })
  revision: number;
}

/** How a thing came to be as it is. */
export const historyOf = ({ createdAt, updatedAt, revision }: Omit<Entry, 'id'>) => ({
  createdAt: createdAt.toISOString(),
  updatedAt: updatedAt.toISOString(),
  revision,
});

/** A thing as its record: its id, all that it is, its history. */
export const recordOf = <Thing extends Entry>({ id, createdAt, updatedAt, revision, ...details }: Thing) => ({
  id,
  ...details,
  ...historyOf({ createdAt, updatedAt, revision }),
});
