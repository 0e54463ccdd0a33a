import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { UsersRound } from 'lucide';
import type { SegmentDto } from '@ledgerline/client';
import { segmentsQuery } from '../../../api/segments';
import { PageHeader } from '../../../components/page';
import { EmptyState } from '../../../components/states';
import { Table } from '../../../components/table';
import { Answered } from '../lists/answer';
import { sharedSearch, useView } from '../view/use-view';
import { describeSegment } from './describe-segment';

type View = ReturnType<typeof useView>;

/** The segments that a website may be filtered by. */
export function SegmentsPage() {
  const view = useView();
  const segments = useQuery(segmentsQuery(view));
  return (
    <div className="page analytics">
      <PageHeader
        title="Segments"
        description="Saved groups of sessions."
        actions={<SegmentLink view={view} id="new" name="New segment" className="button primary" />}
      />
      <Answered query={segments} label="the segments" lines={6}>
        {(known) =>
          known.length === 0 ? (
            <EmptyState title="No segments yet" icon={UsersRound}>
              <p>
                A segment holds filters, and what visitors did or did not. Every page of the website can be about it
                alone, and its address can be shared.
              </p>
            </EmptyState>
          ) : (
            <Table
              caption="Segments"
              columns={[
                { header: 'Segment', cell: ({ id, name }) => <SegmentLink view={view} id={id} name={name} /> },
                { header: 'Sessions', cell: (segment) => describeSegment(segment).join('; ') },
                {
                  header: 'Website',
                  cell: ({ websiteId }) => (websiteId === null ? 'All websites' : view.website.name),
                },
                { header: 'Dashboard', cell: (segment) => <Look view={view} segment={segment} /> },
              ]}
              rows={known}
              keyOf={({ id }) => id}
            />
          )
        }
      </Answered>
    </div>
  );
}

interface SegmentLinkProps {
  readonly view: View;
  readonly id: string;
  readonly name: string;
  readonly className?: string;
}

const SegmentLink = ({
  view: { organizationId, websiteId, search },
  id,
  name,
  className = 'clip',
}: SegmentLinkProps) => (
  <Link
    className={className}
    to="/organizations/$organizationId/websites/$websiteId/segments/$segmentId"
    params={{ organizationId, websiteId, segmentId: id }}
    search={sharedSearch(search)}
    title={name}
  >
    {name}
  </Link>
);

const Look = ({ view, segment: { id, name } }: { readonly view: View; readonly segment: SegmentDto }) => (
  <Link
    to="/organizations/$organizationId/websites/$websiteId"
    params={{ organizationId: view.organizationId, websiteId: view.websiteId }}
    search={{ ...sharedSearch(view.search), segment: id }}
    aria-label={`Open the dashboard of ${name}`}
  >
    Open
  </Link>
);
