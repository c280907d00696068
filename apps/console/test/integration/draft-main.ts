import { openDraft } from '../../src/storage/backup/draft.ts';

// A process that holds a draft until its input ends.
const [folder = '', prefix = ''] = process.argv.slice(2);
const { path } = await openDraft(folder, prefix);
process.stdout.write(`${path}\n`);
process.stdin.on('end', () => process.exit(0)).resume();
