// Loaded with `node --import` before a program: notes every connection and every name look-up that leads beyond loopback,
// one line each, in the file that CONNECTIONS_FILE names. Plain JavaScript, because old and new Nodes alike must load it.
import dgram from 'node:dgram';
import dns from 'node:dns';
import { appendFileSync } from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import net from 'node:net';

const LOOPBACK = /^(?:localhost|127\.\d+\.\d+\.\d+|::1|::ffff:127\.\d+\.\d+\.\d+|0\.0\.0\.0|::)$/i;
const file = process.env.CONNECTIONS_FILE;

function note(kind, host) {
  if (host === undefined || host === '' || LOOPBACK.test(String(host))) return;
  if (file) appendFileSync(file, `${process.pid} ${kind} ${host}\n`);
}

const connect = net.Socket.prototype.connect;
net.Socket.prototype.connect = function (...args) {
  // Node hands itself an array of normalised arguments.
  const [first, second] = Array.isArray(args[0]) ? args[0] : args;
  if (typeof first === 'object' && first !== null) {
    if (!first.path) note('connect', first.host);
  } else if (typeof first === 'number' || /^\d+$/.test(String(first))) {
    note('connect', typeof second === 'string' ? second : undefined);
  }
  return connect.apply(this, args);
};

for (const holder of [dns, dns.promises]) {
  for (const name of Object.keys(holder)) {
    const original = holder[name];
    if (typeof original !== 'function' || !/^(?:lookup|resolve)/.test(name)) continue;
    holder[name] = function (host, ...rest) {
      note('look-up', host);
      return original.call(this, host, ...rest);
    };
  }
}

const send = dgram.Socket.prototype.send;
dgram.Socket.prototype.send = function (...args) {
  note(
    'datagram',
    args.find((argument, index) => index > 0 && typeof argument === 'string'),
  );
  return send.apply(this, args);
};

syncBuiltinESMExports();
