// Writes test/transcripts/cursor-agent from the scenarios: npx tsx test/support/cursor-agent/write-transcripts.ts
import { mkdirSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { SCENARIOS } from './scenarios.ts';
import { envelopesOf, readableFrame } from './transcript.ts';

const root = resolve(import.meta.dirname, '../../transcripts/cursor-agent');

for (const [name, frames] of Object.entries(SCENARIOS)) {
  const folder = join(root, name);
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, 'client.bin'), envelopesOf(frames, 'client'));
  writeFileSync(join(folder, 'server.bin'), envelopesOf(frames, 'server'));
  writeFileSync(join(folder, 'frames.json'), `${JSON.stringify(frames.map(readableFrame), null, 2)}\n`);
}
