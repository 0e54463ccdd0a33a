import { Column, CreateDateColumn, Entity, PrimaryColumn } from 'typeorm';

/** One secret of one key, as a keyed hash. The events of the key decide which of its secrets is valid. */
@Entity('api_key_secrets')
export class ApiKeySecret {
  @PrimaryColumn('text', { name: 'secret_id' })
  secretId: string;

  @Column('text', { name: 'key_id' })
  keyId: string;

  @Column('bytea')
  hash: Buffer;

  @CreateDateColumn({ type: 'timestamptz', name: 'created_at' })
  createdAt: Date;
}
