import type { Tool } from './tool';
import { createLink } from './tools/create-link.tool';
import { deleteLink } from './tools/delete-link.tool';
import { getLink } from './tools/get-link.tool';
import { getStatus } from './tools/get-status.tool';
import { listFlags } from './tools/list-flags.tool';
import { listLinks } from './tools/list-links.tool';
import { listMonitors } from './tools/list-monitors.tool';
import { listQueryTypes } from './tools/list-query-types.tool';
import { listWebsites } from './tools/list-websites.tool';
import { query } from './tools/query.tool';
import { readAuditLog } from './tools/read-audit-log.tool';
import { updateLink } from './tools/update-link.tool';
import { verifyAuditLog } from './tools/verify-audit-log.tool';

/** Every tool, in the order in which they are listed. */
export const TOOLS: readonly Tool[] = [
  listWebsites,
  listQueryTypes,
  query,
  listLinks,
  getLink,
  createLink,
  updateLink,
  deleteLink,
  readAuditLog,
  verifyAuditLog,
  listFlags,
  listMonitors,
  getStatus,
];
