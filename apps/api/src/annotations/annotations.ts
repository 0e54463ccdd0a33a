import { MAX_ANNOTATIONS, type AnnotationDetails } from '@ledgerline/contracts/events/annotation.events';
import type { Annotation } from '@ledgerline/contracts/records';
import type { Caller } from '@ledgerline/domain/access/caller';
import { annotation, plainAnnotation, type AnnotationCommand } from '@ledgerline/domain/goals/annotation.decider';
import { Registry } from '@ledgerline/domain/registry/registry';
import { annotationStream } from '@ledgerline/platform/event-store/streams';
import { LinkLookup } from '@ledgerline/platform/registry/link-lookup';
import { LiveRegistry } from '@ledgerline/platform/registry/live-registry';
import { Injectable } from '@nestjs/common';
import type { StartedCommand } from '../commands/idempotency-store';
import { conflict, notFound } from '../http/problems';
import { recordOf, type Plain } from '../http/record.dto';
import { assertWebsite } from '../resources/assert-website';
import { decision, type Decision, type Resource } from '../resources/resource';
import type { AnnotationDto } from './annotation.dto';

@Injectable()
export class Annotations implements Resource<Annotation, AnnotationDetails, Plain<AnnotationDto>> {
  static readonly commands = ['CreateAnnotation', 'UpdateAnnotation', 'DeleteAnnotation'] as const;
  readonly noun = 'Annotation';
  readonly idPrefix = 'note';
  readonly reads = 'annotations:read';
  readonly writes = 'annotations:write';
  readonly defaults = plainAnnotation;

  constructor(
    private readonly registry: Registry,
    private readonly live: LiveRegistry,
    private readonly links: LinkLookup,
  ) {}

  entry(registry: () => Registry, id: string): Annotation | undefined {
    return registry().annotation(id);
  }

  entriesOf(registry: Registry, organizationId: string): readonly Annotation[] {
    return registry.annotationsOf(organizationId);
  }

  /** Refuses a new one of what is no website or link of the organization, or has as many as it may. */
  async check(input: Partial<AnnotationDetails>, _: Caller, current?: Annotation): Promise<void> {
    if (current) return;
    const { organizationId = '', websiteId = null, linkId = null } = input;
    await assertWebsite(this.registry, this.live, input);
    if (linkId !== null) {
      const link = await this.links.byId(linkId, [organizationId]);
      if (link?.organizationId !== organizationId) throw notFound('Link');
    }
    const isOfSame = (other: Annotation) => other.websiteId === websiteId && other.linkId === linkId;
    if (this.registry.annotationsOf(organizationId).filter(isOfSame).length >= MAX_ANNOTATIONS)
      throw conflict(`There are ${MAX_ANNOTATIONS} annotations already; delete earlier ones first`);
  }

  create(input: AnnotationDetails, { id }: StartedCommand): Decision {
    return decided({ ...input, id }, { type: 'CreateAnnotation', data: { ...input, annotationId: id } });
  }

  update(changes: Partial<AnnotationDetails>, current: Annotation): Decision {
    return decided(current, { type: 'UpdateAnnotation', data: { changes } });
  }

  delete(current: Annotation): Decision {
    return decided(current, { type: 'DeleteAnnotation', data: {} });
  }

  records(annotations: readonly Annotation[]): readonly Plain<AnnotationDto>[] {
    return annotations.map(recordOf);
  }
}

const decided = (
  { organizationId, id }: Pick<Annotation, 'organizationId' | 'id'>,
  command: AnnotationCommand,
): Decision => decision(annotation, annotationStream(organizationId, id), command);
