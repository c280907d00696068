import { Readable } from 'node:stream';
import { id, type CopyFailure } from '@weir/protocol';
import type { FastifyInstance } from 'fastify';
import { failurePages } from '../actions/list-failures.ts';
import { ConsoleError } from '../actions/console-error.ts';
import type { ConsoleContext } from '../actions/context.ts';
import { authenticate } from './authentication.ts';

/** How a list is written: its media type, and the text before, for and after its lines. */
interface Format {
  type: string;
  head: string;
  line: (failure: CopyFailure, first: boolean) => string;
  tail: string;
}

const FORMATS: Readonly<Record<string, Format>> = {
  csv: {
    type: 'text/csv; charset=utf-8',
    head: 'key,code,message,requestId\r\n',
    line: ({ key, code, message, requestId }) => `${[key, code, message, requestId ?? ''].map(csvCell).join(',')}\r\n`,
    tail: '',
  },
  json: {
    type: 'application/json; charset=utf-8',
    head: '[',
    line: (failure, first) => `${first ? '\n' : ',\n'}${JSON.stringify(failure)}`,
    tail: '\n]\n',
  },
};

/**
 * One cell of RFC 4180. A text that a spreadsheet would run as a formula is marked as text by an apostrophe, so keys that
 * begin like one are exact only in the JSON.
 */
export function csvCell(text: string): string {
  const harmless = /^[=+\-@\t\r]/.test(text) ? `'${text}` : text;
  return `"${harmless.replaceAll('"', '""')}"`;
}

/** Serves the failed objects of a job as a file: all that are kept, in pages, so that a long list costs no memory. */
export function serveFailureDownloads(app: FastifyInstance, context: ConsoleContext): void {
  for (const [extension, format] of Object.entries(FORMATS)) {
    app.get<{ Params: { jobId: string } }>(
      `/api/v1/jobs/:jobId/failures.${extension}`,
      {
        onRequest: async (request) => void (await authenticate(context, request, 'viewer')),
        schema: {
          summary: `Failed objects as a file (${extension.toUpperCase()})`,
          description: 'Who may call: viewer.',
          tags: ['console'],
        },
      },
      async (request, reply) => {
        const jobId = id.safeParse(request.params.jobId);
        if (!jobId.success) throw new ConsoleError('not-found', 'There is no such job.');
        const pages = await failurePages(context, jobId.data);
        return reply
          .type(format.type)
          .header('content-disposition', `attachment; filename="${jobId.data}-failures.${extension}"`)
          .send(Readable.from(written(pages, format)));
      },
    );
  }
}

async function* written(pages: AsyncIterable<readonly CopyFailure[]>, format: Format): AsyncGenerator<string> {
  yield format.head;
  let first = true;
  for await (const page of pages) {
    let text = '';
    for (const failure of page) {
      text += format.line(failure, first);
      first = false;
    }
    yield text;
  }
  yield format.tail;
}
