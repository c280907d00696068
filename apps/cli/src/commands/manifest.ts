import { open, readFile } from 'node:fs/promises';
import { verifyManifest } from '@weir/console/manifest';
import type { CopyCounters } from '@weir/protocol';
import { checkLocalManifest } from '../copy/local-manifest.ts';
import { CommandError, EXIT_CODES } from '../output/command-error.ts';
import { formatBytes, formatCount } from '../output/figures.ts';
import type { Terminal } from '../output/terminal.ts';

/** Flags of `weir manifest verify` as commander hands them over. */
export interface ManifestFlags {
  key?: string;
  json: boolean;
}

/** Largest signed manifest that is read, in bytes: it grows with the shards of a job, not with its objects. */
const MAX_SIGNED_BYTES = 256 * 1024 * 1024;

/** What a check came to: figures for `--json`, lines for people. */
interface Verdict {
  readonly ok: boolean;
  readonly figures: object;
  readonly lines: readonly string[];
}

/** `weir manifest verify FILE`: whether a manifest is whole, and who signed it. */
export async function manifestVerifyCommand(file: string, flags: ManifestFlags, terminal: Terminal): Promise<number> {
  const verdict = (await isLocal(file)) ? await verifyLocal(file, flags) : await verifySigned(file, flags);
  if (flags.json) terminal.out(`${JSON.stringify({ ok: verdict.ok, ...verdict.figures })}\n`);
  else terminal.out(`${verdict.lines.join('\n')}\n`);
  return verdict.ok ? EXIT_CODES.ok : EXIT_CODES.findings;
}

/** Whether it was written by `weir copy`, as its first bytes say. */
async function isLocal(file: string): Promise<boolean> {
  try {
    const handle = await open(file, 'r');
    try {
      const { buffer, bytesRead } = await handle.read(Buffer.alloc(64), 0, 64, 0);
      return buffer.toString('latin1', 0, bytesRead).startsWith('{"format":"weir-copy-manifest/');
    } finally {
      await handle.close();
    }
  } catch (error) {
    throw unreadable(file, error);
  }
}

async function verifyLocal(file: string, flags: ManifestFlags): Promise<Verdict> {
  if (flags.key !== undefined) {
    throw new CommandError('not-signed', `${file} was written by "weir copy" and has no signature`, {
      remedy: 'Leave out --key: its digest is checked all the same.',
    });
  }
  const check = await checkLocalManifest(file);
  if (!check.ok)
    return { ok: false, figures: { problem: check.message }, lines: [`${file} is not whole: ${check.message}.`] };
  const { header, end, entries, digest, actions, bytes } = check;
  return {
    ok: true,
    figures: { kind: 'copy', signedBy: null, ...header, end, entries, digest, actions, bytes },
    lines: [
      `${file} is whole: ${formatCount(entries)} lines, digest ${digest}.`,
      `  ${header.source} → ${header.target}, ${header.mode}, begun ${header.startedAt}, ${end}`,
      `  ${formatCount(actions.copied)} copied (${formatBytes(bytes)}), ${formatCount(actions.skipped)} skipped, ${formatCount(actions.failed)} failed`,
    ],
  };
}

async function verifySigned(file: string, flags: ManifestFlags): Promise<Verdict> {
  const trusted = flags.key === undefined ? undefined : await textOf(flags.key);
  const check = verifyManifest(parsed(file, await textOf(file)), trusted);
  if (!check.ok) {
    return {
      ok: false,
      figures: { kind: 'job', reason: check.reason, problem: check.message },
      lines: [`${file} cannot be trusted: ${check.message}.`],
    };
  }
  const { manifest, key } = check;
  const { jobId, name, state, counters, digest, source, target } = manifest;
  const whose =
    trusted === undefined ? ' that is in the document itself: compare it, or name the one you trust with --key' : '';
  return {
    ok: true,
    figures: {
      kind: 'job',
      signedBy: key.keyId,
      keyTrusted: trusted !== undefined,
      jobId,
      name,
      state,
      counters,
      digest,
    },
    lines: [
      `${file} is whole, and signed by the key ${key.keyId}${whose}.`,
      `  job ${jobId} "${name}", ${state}: ${source.endpointName}/${source.bucket}/${source.prefix} → ${target.endpointName}/${target.bucket}/${target.prefix}`,
      `  ${countersLine(counters)}`,
    ],
  };
}

function countersLine(counters: CopyCounters): string {
  const { objectsCopied, bytesCopied, objectsSkipped, objectsFailed } = counters;
  return `${formatCount(objectsCopied)} copied (${formatBytes(bytesCopied)}), ${formatCount(objectsSkipped)} skipped, ${formatCount(objectsFailed)} failed`;
}

async function textOf(file: string): Promise<string> {
  try {
    const bytes = await readFile(file);
    if (bytes.length > MAX_SIGNED_BYTES) throw new Error('it is too large for a signed manifest');
    return bytes.toString('utf8');
  } catch (error) {
    throw unreadable(file, error);
  }
}

function parsed(file: string, text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new CommandError('file-not-json', `${file} is no manifest: it is not JSON`, { cause: error });
  }
}

function unreadable(file: string, error: unknown): CommandError {
  const why = error instanceof Error ? error.message : String(error);
  return new CommandError('file-unreadable', `cannot read ${file}: ${why}`, { cause: error });
}
