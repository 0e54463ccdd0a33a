import { Link } from '@tanstack/react-router';
import { Bell as Drawing } from 'lucide';
import type { AnnotationSubject } from '../../api/annotations';
import { Icon } from '../../components/button';
import type { ViewSearch } from './view/view-search';

/** The subject of an alert: a website or link, and what is looked at of it. */
export interface BellSubject {
  readonly about: AnnotationSubject;
  readonly search: Pick<ViewSearch, 'filters' | 'segment'>;
  readonly goal?: string;
}

interface BellProps extends BellSubject {
  readonly figure: string;
  /** Tells screen readers what it is about. */
  readonly of: string;
}

/** Leads to an alert that is filled with what is looked at. */
export const Bell = ({ about, search: { filters, segment }, goal, figure, of }: BellProps) => (
  <Link
    className="explained pictured"
    aria-label={`Tell me when: ${of}`}
    title="Tell me when …"
    to="/organizations/$organizationId/alerts/$alertId"
    params={{ organizationId: about.organizationId, alertId: 'new' }}
    search={{ website: about.websiteId, link: about.linkId, figure, goal, segment, filters }}
  >
    <Icon of={Drawing} />
  </Link>
);
