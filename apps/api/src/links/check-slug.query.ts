import { Query, QueryHandler, type IQueryHandler } from '@nestjs/cqrs';
import { slugTaken, SlugReservations } from './slug-reservations';

/** Whether a slug can be given to a link, one that exists or a new one. @throws Problem CONFLICT when it is taken */
export class CheckSlug extends Query<void> {
  constructor(
    readonly slug: string,
    readonly linkId?: string,
  ) {
    super();
  }
}

@QueryHandler(CheckSlug)
export class CheckSlugHandler implements IQueryHandler<CheckSlug> {
  constructor(private readonly slugs: SlugReservations) {}

  async execute({ slug, linkId }: CheckSlug): Promise<void> {
    const holder = await this.slugs.holderOf(slug);
    if (holder && holder.linkId !== linkId) throw slugTaken();
  }
}
