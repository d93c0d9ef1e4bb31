// The least a proxy can do: node:http in, node:http out, piped. It checks nothing, counts nothing, survives nothing.
import { Agent, createServer, request as httpRequest } from 'node:http';
import type { AddressInfo } from 'node:net';

const upstream = process.argv[2] ?? '';
const agent = new Agent({ keepAlive: true });
const server = createServer((request, response) => {
  const onward = httpRequest(
    upstream + request.url,
    { method: request.method, headers: request.headers, agent },
    (answer) => {
      response.writeHead(answer.statusCode ?? 502, answer.headers);
      answer.pipe(response);
    },
  );
  request.pipe(onward);
});
server.listen(0, '127.0.0.1', () => {
  process.send?.(`http://127.0.0.1:${(server.address() as AddressInfo).port}`); // a TCP server always has a port
});
