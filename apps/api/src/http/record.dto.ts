import type { RegistryRecord } from '@ledgerline/contracts/records';
import { ApiProperty } from '@nestjs/swagger';

/** The fields of a DTO class without the class: what is answered is plain data. */
export type Plain<Dto> = { readonly [Field in keyof Dto]: Dto[Field] };

/** What every record shows. */
export abstract class RecordDto {
  @ApiProperty({
    description: 'Opaque: a prefix for the kind, and a ULID',
    example: 'link_01KAJ4Q7ZJ8M3V5T9X2C6D0B1E',
  })
  id: string;

  @ApiProperty({ format: 'date-time' })
  createdAt: string;

  @ApiProperty({ format: 'date-time' })
  updatedAt: string;

  @ApiProperty({ type: 'integer', description: 'Incremented with each change' })
  revision: number;
}

export const historyOf = ({ createdAt, updatedAt, revision }: Omit<RegistryRecord, 'id'>) => ({
  createdAt: createdAt.toISOString(),
  updatedAt: updatedAt.toISOString(),
  revision,
});

/** An entry of the registry as its record. */
export const recordOf = <Of extends RegistryRecord>({ id, createdAt, updatedAt, revision, ...details }: Of) => ({
  id,
  ...details,
  ...historyOf({ createdAt, updatedAt, revision }),
});
