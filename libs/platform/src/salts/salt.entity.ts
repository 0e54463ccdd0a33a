import { Column, Entity, PrimaryColumn } from 'typeorm';

/** The secret of the installation for one period; of one website or organization where an earlier version stored it. */
@Entity('salts')
export class Salt {
  @PrimaryColumn('text')
  scope: string;

  @PrimaryColumn('text')
  period: string;

  @Column('bytea')
  salt: Buffer;

  /** When it is destroyed; null = never. */
  @Column('timestamptz', { name: 'dies_at', nullable: true })
  expiresAt: Date | null;
}
