// Runs the official SDK as a play says and writes down what its caller saw. Plain JavaScript, because it runs on Nodes of any age.
import { appendFileSync, readFileSync, writeFileSync } from 'node:fs';
import http2 from 'node:http2';
import { syncBuiltinESMExports } from 'node:module';
import net from 'node:net';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';

const play = JSON.parse(readFileSync(process.argv[2], 'utf8'));
const seen = { sends: [], overHttp2: [], cuts: 0 };

// Tells which calls the SDK makes over HTTP/2; it changes nothing.
const { connect } = http2;
http2.connect = (...args) => {
  const session = connect(...args);
  const { request } = session;
  session.request = (headers, ...rest) => {
    seen.overHttp2.push(headers[':path']);
    return request.call(session, headers, ...rest);
  };
  return session;
};
syncBuiltinESMExports();

// A wire that can be cut, between the SDK and the gateway.
const sockets = new Set();
const cutWire = () => {
  for (const socket of sockets) socket.destroy();
  seen.cuts++;
};
if (play.sends.some(({ cutAt }) => cutAt)) process.env.CURSOR_BACKEND_URL = await layWire();

const { Agent, Cursor } = await import(pathToFileURL(play.sdk).href);
const { apiKey, cwd } = play;

const customTools = {
  stamp: {
    description: 'Stamps a word onto a list.',
    inputSchema: {
      type: 'object',
      properties: { word: { type: 'string' }, nested: { type: 'object' } },
      required: ['word'],
    },
    execute: (args, context) => {
      appendFileSync(join(cwd, 'stamps.txt'), `${JSON.stringify(args)}\n`);
      return `stamped ${args.word} for ${context.toolCallId === undefined ? 'nobody' : 'a call'}`;
    },
  },
};

const describe = (error) => ({ name: error?.name, message: error?.message, code: error?.code });

try {
  if (play.listsModels) {
    seen.models = await Cursor.models.list({ apiKey });
    seen.me = await Cursor.me({ apiKey });
  }
  if (play.sends.length > 0) {
    const options = {
      apiKey,
      model: { id: play.model },
      local: { cwd, ...(play.hasCustomTools ? { customTools } : {}) },
      ...(play.mcpServers ? { mcpServers: play.mcpServers } : {}),
      ...play.options,
    };
    let agent = await Agent.create(options);
    for (const send of play.sends) {
      if (send.isResumed) agent = await Agent.resume(agent.agentId, options);
      seen.sends.push(await playSend(agent, send));
    }
  }
} catch (error) {
  seen.error = describe(error);
}
writeFileSync(play.report, JSON.stringify(seen));
// Workers of the SDK would keep the process alive.
process.exit(0);

async function playSend(agent, { text, images, options, cancelAt, cutAt, steerWith }) {
  const messages = [];
  const deltas = [];
  let steering;
  const run = await agent.send(images ? { text, images } : text, {
    ...options,
    onDelta: ({ update }) => void deltas.push(update),
  });
  for await (const message of run.stream()) {
    messages.push(message);
    if (message.type === cancelAt) await run.cancel();
    if (steerWith && !steering && message.type === 'tool_call') steering = run.steer(steerWith);
    if (cutAt && seen.cuts === 0 && `${message.type} ${message.status}` === cutAt) cutWire();
  }
  const result = await run.wait();
  return { messages, deltas, result, steered: await steering };
}

async function layWire() {
  const { hostname, port } = new URL(process.env.CURSOR_BACKEND_URL);
  const server = net.createServer((near) => {
    const far = net.connect({ host: hostname, port: Number(port) });
    for (const [socket, other] of [
      [near, far],
      [far, near],
    ]) {
      sockets.add(socket);
      socket
        .on('error', () => {})
        .on('close', () => {
          sockets.delete(socket);
          other.destroy();
        });
      socket.pipe(other);
    }
  });
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
  return `http://127.0.0.1:${server.address().port}`;
}
