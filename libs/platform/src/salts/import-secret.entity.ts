import { Column, Entity, PrimaryColumn } from 'typeorm';

/** What makes the visitor ids of a website's imports; its owner may delete it, after which nobody can link them. */
@Entity('import_secrets')
export class ImportSecret {
  @PrimaryColumn('text', { name: 'website_id' })
  websiteId: string;

  @Column('bytea')
  secret: Buffer;
}
