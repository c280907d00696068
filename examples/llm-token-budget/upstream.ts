import { createServer } from 'node:http';
import type { Server } from 'node:http';
import { text } from 'node:stream/consumers';
import { setTimeout as wait } from 'node:timers/promises';
import { askOf } from './ask.ts';

/** What the upstream says about itself, for tests. */
export interface Upstream {
  readonly server: Server;
  /** Completions that were cut off by their caller. */
  aborted: number;
}

/**
 * A stand-in for a model: a token is a word. It streams server-sent events, one a token, each with the usage so far, and
 * `[DONE]` at the end. `say 30` in the prompt makes it say 30 tokens, `fail` makes it fail, as models do.
 * @param tokenDelayMs pause before each token.
 */
export function createUpstream(tokenDelayMs: number): Upstream {
  const server = createServer((request, response) => {
    response.once('close', () => {
      if (!response.writableFinished) upstream.aborted += 1;
    });
    const complete = async (): Promise<void> => {
      const ask = askOf(await text(request));
      if (ask === undefined) {
        response.writeHead(400).end();
        return;
      }
      const { prompt, max_tokens: most } = ask;
      if (prompt.includes('fail')) {
        response.writeHead(500).end('the model is overloaded');
        return;
      }
      const promptTokens = prompt.split(/\s+/).length;
      const wanted = Number(/say (\d+)/.exec(prompt)?.[1] ?? 2 * promptTokens);
      response.writeHead(200, { 'Content-Type': 'text/event-stream' });
      for (let said = 1; said <= Math.min(wanted, most) && !response.destroyed; said++) {
        await wait(tokenDelayMs);
        const usage = { prompt_tokens: promptTokens, completion_tokens: said };
        response.write(`data: ${JSON.stringify({ text: `word${said} `, usage })}\n\n`);
      }
      response.end('data: [DONE]\n\n');
    };
    complete().catch((error: unknown) => response.destroy(error instanceof Error ? error : undefined));
  });
  const upstream: Upstream = { server, aborted: 0 };
  return upstream;
}
