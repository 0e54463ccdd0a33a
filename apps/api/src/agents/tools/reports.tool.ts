import { ReportDto } from '../../reports/report.dto';
import { Reports } from '../../reports/reports';
import { listTool } from '../tool';

export const listReports = listTool({
  of: 'reports',
  isOfWebsites: false,
  title: 'List reports',
  description: 'The weekly and monthly reports of figures, oldest first: of which websites, and to which destinations.',
  action: 'reports:read',
  resource: Reports,
  record: ReportDto,
  nameOf: ({ name }) => name,
});
