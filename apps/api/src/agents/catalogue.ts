import type { Tool as Description, ToolAnnotations } from '@modelcontextprotocol/server';
import { Injectable } from '@nestjs/common';
import { getSchemaPath } from '@nestjs/swagger';
import { isObject } from '@ledgerline/contracts/json';
import { TAG_TOOLS } from '../links/tags';
import { FUNNEL_TOOLS, GOAL_TOOLS, SEGMENT_TOOLS } from '../query/goals/goals.controller';
import { OpenApi } from '../reference/open-api';
import { SAVED_VIEW_TOOLS } from '../websites/saved-views';
import { recordTools } from './record-tools';
import type { Tool } from './tool';
import { createAlert, listAlerts } from './tools/alerts.tool';
import { createAnnotation, listAnnotations } from './tools/annotations.tool';
import { readAuditLog, verifyAuditLog } from './tools/audit-log.tool';
import { listDestinations, testDestination } from './tools/destinations.tool';
import { eraseVisitor } from './tools/erasures.tool';
import { getFunnelAnalytics, getGoalAnalytics } from './tools/goal-analytics.tool';
import { createLink, deleteLink, getLink, listLinks, updateLink } from './tools/links.tool';
import { getStatus, listMonitors } from './tools/monitors.tool';
import { listQueryTypes, query } from './tools/query.tool';
import { listReports } from './tools/reports.tool';
import { listFlags, listWebsites } from './tools/websites.tool';

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
  ...recordTools(GOAL_TOOLS).toSpliced(1, 0, getGoalAnalytics),
  ...recordTools(FUNNEL_TOOLS).toSpliced(1, 0, getFunnelAnalytics),
  ...recordTools(SEGMENT_TOOLS),
  ...recordTools(SAVED_VIEW_TOOLS),
  listAnnotations,
  createAnnotation,
  listAlerts,
  createAlert,
  ...recordTools(TAG_TOOLS),
  readAuditLog,
  verifyAuditLog,
  eraseVisitor,
  listFlags,
  listMonitors,
  getStatus,
  listDestinations,
  testDestination,
  listReports,
];

/** The tools as clients list them, with schemas out of the OpenAPI document; made at the first request. */
@Injectable()
export class ToolDescriptions {
  private made: ReadonlyMap<string, Description> | undefined;

  constructor(private readonly openApi: OpenApi) {}

  of(tools: readonly Tool[]): Description[] {
    this.made ??= new Map(TOOLS.map((tool) => [tool.name, this.describe(tool)]));
    return tools.flatMap(({ name }) => this.made?.get(name) ?? []);
  }

  private describe({ name, title, description, effect, input, output, clears = [] }: Tool): Description {
    const named = this.openApi.document().components?.schemas ?? {};
    const args = input ? standaloneSchema({ $ref: getSchemaPath(input) }, named) : { type: 'object' };
    return {
      name,
      title,
      description,
      inputSchema: { ...objectIn(argumentsIn(args, clears)), additionalProperties: false },
      outputSchema: objectIn(standaloneSchema(output as Schema, named)),
      annotations: { title, ...ANNOTATIONS[effect] },
    };
  }
}

const objectIn = (schema: Schema) => ({ ...schema, type: 'object' as const });

/** All tools look into and change this service only, but for those that send. */
const ANNOTATIONS: Readonly<Record<Tool['effect'], ToolAnnotations>> = {
  read: { readOnlyHint: true, destructiveHint: false, idempotentHint: true, openWorldHint: false },
  create: { readOnlyHint: false, destructiveHint: false, idempotentHint: false, openWorldHint: false },
  change: { readOnlyHint: false, destructiveHint: true, idempotentHint: true, openWorldHint: false },
  delete: { readOnlyHint: false, destructiveHint: true, idempotentHint: true, openWorldHint: false },
  send: { readOnlyHint: false, destructiveHint: false, idempotentHint: false, openWorldHint: true },
};

type Schema = Readonly<Record<string, unknown>>;

/**
 * A schema of an OpenAPI document on its own, without examples and references: not every client follows them.
 * @throws Error for a schema that contains itself
 */
function standaloneSchema(schema: Schema, named: Schema, within: readonly string[] = []): Schema {
  const copy = (node: unknown): unknown => {
    if (Array.isArray(node)) return node.map(copy);
    return isObject(node) ? standaloneSchema(node, named, within) : node;
  };
  if (!('$ref' in schema)) {
    const kept = Object.entries(schema).filter(([keyword]) => keyword !== 'example' || !('type' in schema));
    return Object.fromEntries(kept.map(([keyword, value]) => [keyword, copy(value)]));
  }
  const { $ref, ...beside } = schema;
  const name = String($ref).slice('#/components/schemas/'.length);
  if (within.includes(name)) throw new Error(`The schema ${name} contains itself.`);
  return { ...standaloneSchema(fieldsOf(named[name]), named, [...within, name]), ...beside };
}

/** Null only where it empties an argument. */
function argumentsIn(schema: Schema, clears: readonly string[]): Schema {
  const given = fieldsOf(schema['properties']);
  const cleared = Object.fromEntries(clears.map((name) => [name, given[name]]));
  const plain = fieldsOf(withoutNull(schema));
  return { ...plain, properties: { ...fieldsOf(plain['properties']), ...cleared } };
}

const fieldsOf = (value: unknown): Schema => (isObject(value) ? value : {});

/**
 * Returns a schema where a field that is null is one that was left out, without that: not every client reads a list of
 * types.
 */
function withoutNull(node: unknown): unknown {
  if (Array.isArray(node)) return node.filter((each) => each !== null).map(withoutNull);
  if (!isObject(node)) return node;
  const entries = Object.entries(node).map(([keyword, value]) => {
    const types = keyword === 'type' && Array.isArray(value) ? value.filter((each) => each !== 'null') : [];
    return [keyword, types.length === 1 ? types[0] : withoutNull(value)] as const;
  });
  return Object.fromEntries(entries);
}
