// grpc_agent.js HOST:PORT POLICY: reads three frames with @grpc/grpc-js, and prints success or the error in one line.
'use strict';

const fs = require('fs');
const path = require('path');
const grpc = require('@grpc/grpc-js');
const loader = require('@grpc/proto-loader');

const [address, policy] = process.argv.slice(2);
const contract = grpc.loadPackageDefinition(loader.loadSync('sc2bridge/v1/bridge.proto', {
  includeDirs: [path.join(__dirname, '../../../proto')], enums: String, longs: String,
}));
const { SC2BRIDGE_CA, SC2BRIDGE_TOKEN } = process.env;
const trust = SC2BRIDGE_CA === 'none' ? grpc.credentials.createInsecure()
  : grpc.credentials.createSsl(SC2BRIDGE_CA ? fs.readFileSync(SC2BRIDGE_CA) : null);
const client = new contract.sc2bridge.v1.BridgeService(address, trust);
const metadata = new grpc.Metadata();
if (SC2BRIDGE_TOKEN) {
  metadata.set('authorization', `Bearer ${SC2BRIDGE_TOKEN}`);
}

let count = 0;
const call = client.play(metadata);
call.write({ subscribe: { policy: `POLICY_${policy.toUpperCase()}` } });
call.on('data', (event) => {
  if (event.frame) {
    call.write({ acknowledge: { step: event.frame.step } });
    count += 1;
    if (count === 3) {
      console.log('3 frames');
      process.exit(0);
    }
  }
});
call.on('error', (error) => {
  console.error(`${grpc.status[error.code]}: ${error.details}`);
  process.exit(1);
});
