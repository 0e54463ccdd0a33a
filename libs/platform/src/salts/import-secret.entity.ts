import { Column, Entity, PrimaryColumn } from 'typeorm';

/** The key of the visitor ids of a website's imports; once its owner deletes it, they cannot be linked to people. */
@Entity('import_secrets')
export class ImportSecret {
  @PrimaryColumn('text', { name: 'website_id' })
  websiteId: string;

  @Column('bytea')
  secret: Buffer;
}
