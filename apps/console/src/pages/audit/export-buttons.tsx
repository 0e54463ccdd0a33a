import { exportAddress, type AuditFilter } from '../../api/audit-log';

interface ExportButtonsProps {
  readonly organizationId: string;
  readonly filter: AuditFilter;
}

/** What the filters leave, as files. */
export const ExportButtons = ({ organizationId, filter }: ExportButtonsProps) => (
  <span className="actions">
    <a className="button" href={exportAddress(organizationId, filter, 'ndjson')} download>
      Export the proof (NDJSON)
    </a>
    <a className="button" href={exportAddress(organizationId, filter, 'csv')} download>
      Export to read (CSV)
    </a>
  </span>
);
