// ws_agent.js URL POLICY [ORIGIN]: reads three frames with ws, and prints success or the error in one line.
'use strict';

const fs = require('fs');
const WebSocket = require('ws');

const [url, policy, origin] = process.argv.slice(2);
const { SC2BRIDGE_CA, SC2BRIDGE_TOKEN } = process.env;
const socket = new WebSocket(url, ['sc2bridge.json.v1'], {
  ca: SC2BRIDGE_CA && SC2BRIDGE_CA !== 'none' ? fs.readFileSync(SC2BRIDGE_CA) : undefined,
  headers: SC2BRIDGE_TOKEN ? { authorization: `Bearer ${SC2BRIDGE_TOKEN}` } : {},
  origin,
});
let count = 0;

function fail(line) {
  console.error(line);
  process.exit(1);
}

socket.on('open', () => socket.send(JSON.stringify({ subscribe: { policy: `POLICY_${policy.toUpperCase()}` } })));
socket.on('message', (text) => {
  const event = JSON.parse(text);
  if (event.error && event.error.fatal) {
    fail(event.error.message);
  } else if (event.frame) {
    socket.send(JSON.stringify({ acknowledge: { step: event.frame.step } }));
    count += 1;
    if (count === 3) {
      console.log('3 frames');
      process.exit(0);
    }
  }
});
socket.on('unexpected-response', (request, response) => {
  let body = '';
  response.on('data', (piece) => { body += piece; });
  response.on('end', () => fail(`HTTP ${response.statusCode}: ${body.trim()}`));
});
socket.on('close', (code, reason) => fail(`closed ${code}: ${reason}`));
socket.on('error', (error) => fail(`${error.message}`));
