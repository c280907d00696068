import swagger from '@fastify/swagger';
import swaggerUi from '@fastify/swagger-ui';
import type { FastifyInstance } from 'fastify';
import { jsonSchemaTransform } from 'fastify-type-provider-zod';
import type { ConsoleContext } from '../actions/context.ts';
import { admitDescription, SESSION_COOKIE } from './authentication.ts';
import { DOCS_CONTENT_SECURITY_POLICY } from './security-headers.ts';

/** Serves the API description: a page at /docs, the OpenAPI document at /docs/json. To be called before the routes exist. */
export async function describeApi(app: FastifyInstance, context: ConsoleContext, version: string): Promise<void> {
  await app.register(swagger, {
    openapi: {
      openapi: '3.1.0',
      info: { title: 'Weir console', description: 'Coordinator, job queue, settings and monitor.', version },
      components: {
        securitySchemes: {
          session: { type: 'apiKey', in: 'cookie', name: SESSION_COOKIE },
          agentCredential: { type: 'http', scheme: 'bearer', description: "An agent's own credential" },
          enrolmentToken: { type: 'http', scheme: 'bearer', description: 'The enrolment token' },
        },
      },
    },
    transform: jsonSchemaTransform,
  });
  await app.register(swaggerUi, {
    routePrefix: '/docs',
    uiHooks: {
      onRequest: (request, _reply, done) => {
        admitDescription(context, request);
        done();
      },
    },
    staticCSP: DOCS_CONTENT_SECURITY_POLICY,
    theme: { title: 'Weir API' },
    logo: { type: 'image/svg+xml', content: Buffer.from('<svg xmlns="http://www.w3.org/2000/svg"/>') },
  });
}
