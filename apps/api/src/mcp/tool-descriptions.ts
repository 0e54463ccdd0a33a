import { Injectable } from '@nestjs/common';
import type { Tool as Description, ToolAnnotations } from '@modelcontextprotocol/server';
import { getSchemaPath } from '@nestjs/swagger';
import { OpenApi } from '../discovery/open-api';
import { TOOLS } from './catalogue';
import { standaloneSchema, withoutNull, type Schema } from './standalone-schema';
import type { Tool } from './tool';

/** The tools as clients list them, with schemas out of the OpenAPI document; made at the first request. */
@Injectable()
export class ToolDescriptions {
  private made: ReadonlyMap<string, Description> | undefined;

  constructor(private readonly openApi: OpenApi) {}

  of(tools: readonly Tool[]): Description[] {
    this.made ??= new Map(TOOLS.map((tool) => [tool.name, this.describe(tool)]));
    return tools.flatMap(({ name }) => this.made?.get(name) ?? []);
  }

  private describe({ name, title, description, effect, input, output }: Tool): Description {
    const named = (this.openApi.document().components?.schemas ?? {}) as Readonly<Record<string, object>>;
    const args = input ? standaloneSchema({ $ref: getSchemaPath(input) }, named) : { type: 'object' };
    return {
      name,
      title,
      description,
      // of a change, null clears a field; elsewhere it means the same as leaving the field out
      inputSchema: { ...objectIn(effect === 'change' ? args : withoutNull(args)), additionalProperties: false },
      outputSchema: objectIn(standaloneSchema(output as Schema, named)),
      annotations: { title, ...ANNOTATIONS[effect] },
    };
  }
}

const objectIn = (schema: Schema) => ({ ...schema, type: 'object' as const });

/** All tools look into and change this service only. */
const ANNOTATIONS: Readonly<Record<Tool['effect'], ToolAnnotations>> = {
  read: { readOnlyHint: true, destructiveHint: false, idempotentHint: true, openWorldHint: false },
  create: { readOnlyHint: false, destructiveHint: false, idempotentHint: false, openWorldHint: false },
  change: { readOnlyHint: false, destructiveHint: true, idempotentHint: true, openWorldHint: false },
  delete: { readOnlyHint: false, destructiveHint: true, idempotentHint: true, openWorldHint: false },
};
