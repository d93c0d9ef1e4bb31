// The OpenAPI 3.1 description of everything served, made from the routes themselves and their zod schemas.
import { z } from 'zod';
import { isJsonObject, type JsonObject, type JsonValue } from '../core/index.ts';
import { errorSchema } from './admin/schema.ts';
import type { Route, RouteDoc } from './router.ts';
import { TURN_ROUTE_DOCS } from './turn-route-docs.ts';

export interface OpenApiOptions {
  readonly version: string;
  readonly routes: readonly Pick<Route, 'method' | 'path' | 'doc'>[];
}

/** Serves the description of the given routes and of itself. */
export function createOpenApiRoute(options: OpenApiOptions): Route {
  const doc: RouteDoc = {
    summary: 'This document',
    tag: 'health',
    auth: 'none',
    response: { type: 'object' },
  };
  const self = { method: 'GET', path: '/openapi.json', doc };
  const body = JSON.stringify(createOpenApi({ ...options, routes: [...options.routes, self] }));
  return {
    ...self,
    handle: (exchange) => exchange.sendBytes(200, body, { 'content-type': 'application/json' }),
  };
}

export function createOpenApi({ version, routes }: OpenApiOptions): JsonObject {
  const paths: Record<string, JsonObject> = {};
  for (const route of routes) {
    const path = templateOf(route.path);
    paths[path] = { ...paths[path], [route.method.toLowerCase()]: operationOf(route) };
  }
  return {
    openapi: '3.1.0',
    info: { title: 'Crosspoint', version, description: 'Any coding agent on any model and any tool.' },
    paths,
    components: {
      schemas: { Error: schemaOf(errorSchema) },
      securitySchemes: {
        key: { type: 'http', scheme: 'bearer', description: 'A gateway key; x-api-key works too.' },
        admin: { type: 'http', scheme: 'bearer', description: 'The admin token.' },
      },
    },
  };
}

/** `/keys/:id` is `/keys/{id}` there, and a prefix ends in a parameter. */
function templateOf(path: string): string {
  return path.replace(/:(\w+)/g, '{$1}').replace(/\*$/, '{rest}');
}

function operationOf(route: OpenApiOptions['routes'][number]): JsonObject {
  const doc = route.doc ?? TURN_ROUTE_DOCS[route.path] ?? fallbackDoc(route.path);
  const parameters = [...pathParameters(route.path), ...queryParameters(doc)];
  const status = doc.status ?? 200;
  const content = doc.response && {
    [doc.contentType ?? 'application/json']: { schema: schemaOf(doc.response) },
  };
  return {
    summary: doc.summary,
    tags: [doc.tag],
    ...(doc.auth === 'none' ? {} : { security: [{ [doc.auth]: [] }] }),
    ...(parameters.length > 0 ? { parameters } : {}),
    ...(doc.request
      ? {
          requestBody: { required: true, content: { 'application/json': { schema: schemaOf(doc.request) } } },
        }
      : {}),
    responses: {
      [String(status)]: { description: doc.summary, ...(content ? { content } : {}) },
      default: {
        description: 'An error, in the form of the dialect the path belongs to.',
        content: { 'application/json': { schema: { $ref: '#/components/schemas/Error' } } },
      },
    },
  };
}

function fallbackDoc(path: string): RouteDoc {
  return { summary: `Requests to ${path}`, tag: 'fronts', auth: 'key' };
}

function pathParameters(path: string): JsonObject[] {
  const names = [...templateOf(path).matchAll(/\{(\w+)\}/g)].map((match) => match[1] ?? '');
  return names.map((name) => ({ name, in: 'path', required: true, schema: { type: 'string' } }));
}

function queryParameters(doc: RouteDoc): JsonObject[] {
  if (!doc.query) return [];
  const properties = schemaOf(doc.query).properties;
  if (!isJsonObject(properties)) return [];
  return Object.entries(properties).map(([name, schema]) => ({ name, in: 'query', required: false, schema }));
}

function schemaOf(schema: z.ZodType | JsonObject): JsonObject {
  if (!(schema instanceof z.ZodType)) return schema;
  // Named schemas are written out where they are used: a document of this size needs no references.
  const { $schema, id, ...json } = z.toJSONSchema(schema, { reused: 'inline', io: 'input' });
  return inlineDefinitions(json as JsonObject, json.$defs as JsonObject | undefined) as JsonObject; // JSON by nature
}

function inlineDefinitions(value: JsonValue, definitions: JsonObject | undefined): JsonValue {
  if (Array.isArray(value)) return value.map((item) => inlineDefinitions(item, definitions));
  if (!isJsonObject(value)) return value;
  const reference = /^#\/\$defs\/(.+)$/.exec(String(value.$ref ?? ''))?.[1];
  const target = reference === undefined ? undefined : definitions?.[reference];
  if (target !== undefined) return inlineDefinitions(target, definitions);
  const entries = Object.entries(value).filter(([key]) => key !== '$defs' && key !== '$schema');
  return Object.fromEntries(entries.map(([key, item]) => [key, inlineDefinitions(item, definitions)]));
}
