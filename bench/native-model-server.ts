// A chat server that plays a model with tools: it answers each of its rounds at once and tells its URL to the parent.
import { startScriptedModel } from '../test/support/native-client/scripted-model.ts';

const read = { name: 'read_file', args: { path: 'notes.txt' } };
const write = { name: 'write', args: { path: 'made.txt', contents: 'made by a run\n' } };
const model = await startScriptedModel([[read, write], [read]]);
process.send?.(model.baseUrl.replace(/\/v1$/, ''));
