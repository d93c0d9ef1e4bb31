// A chat server that answers at once: 200 small chunks (or as many as it is told) in bursts of ten, as a fast model
// behind a proxy does.
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

const CHUNKS = Number(process.argv[2] ?? 200);
const BURST = 10;

function frame(content: string, finish: string | null): string {
  const choices = [{ index: 0, delta: finish ? {} : { content }, finish_reason: finish }];
  return `data: ${JSON.stringify({ id: 'chatcmpl-bench', object: 'chat.completion.chunk', created: 1, model: 'm', choices })}\n\n`;
}

const bursts: string[] = [];
for (let i = 0; i < CHUNKS; i += BURST) {
  bursts.push(Array.from({ length: BURST }, (_, k) => frame(` token${i + k}`, null)).join(''));
}
bursts.push(`${frame('', 'stop')}data: [DONE]\n\n`);

const server = createServer((request, response) => {
  request.resume().on('end', () => {
    if (request.method === 'GET') {
      response.setHeader('content-type', 'application/json');
      response.end('{"object":"list","data":[{"id":"m","object":"model"}]}');
      return;
    }
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    let next = 0;
    const send = () => {
      const burst = bursts[next++];
      if (burst === undefined) response.end();
      else {
        response.write(burst);
        setImmediate(send);
      }
    };
    send();
  });
});
server.listen(0, '127.0.0.1', () => {
  process.send?.(`http://127.0.0.1:${(server.address() as AddressInfo).port}`); // a TCP server always has a port
});
