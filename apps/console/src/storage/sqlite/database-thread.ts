/*
 * The thread of a database: opens the file that its `workerData` names, says so, and then does what it is asked, one call at a
 * time, in order. SQLite waits for the disk within a call; here nothing but the database waits with it.
 */
import { parentPort, workerData } from 'node:worker_threads';
import Database from 'better-sqlite3';
import { UnusableDatabase } from '../../ports/unusable-database.ts';
import { openDatabase } from './open-database.ts';
import { statementsOn } from './statements.ts';
import type { Answer, Call, Failure } from './threaded-statements.ts';

if (parentPort === null) throw new Error('this file is the entry of a thread');
const port = parentPort;
const say = (answer: Answer): void => port.postMessage(answer);

const opened = await openDatabase(String(workerData)).catch((error: unknown) => failureOf(error));
if ('message' in opened) {
  say({ failure: opened });
} else {
  const statements = statementsOn(opened);
  let before = Promise.resolve();
  const stopping = new AbortController();
  port.on('message', (call: Call) => {
    // A copy of a large database takes longer than a console may take to stop.
    if (call.kind === 'close') stopping.abort(new Error('the console is stopping'));
    before = before.then(async () => {
      say(await answerTo(call).catch((error: unknown) => ({ failure: failureOf(error) })));
      if (call.kind === 'close') port.close();
    });
  });
  const answerTo = async (call: Call): Promise<Answer> => {
    if (call.kind === 'run') return { ran: await statements.run(call.sql, call.parameters) };
    await (call.kind === 'copy' ? statements.copyTo(call.path, stopping.signal) : statements.close());
    return {};
  };
  say({});
}

/** An error as it can be sent: its class and its code would not come along. */
function failureOf(error: unknown): Failure {
  if (error instanceof UnusableDatabase) return { message: error.message, unusable: true };
  if (error instanceof Database.SqliteError) return { message: error.message, code: error.code };
  return { message: error instanceof Error ? error.message : String(error) };
}
