// client.js PACKAGE URL ENCODING CONTENT: plays a match as client.py does, with promised names only. PACKAGE is the folder agent-js of a release.

import { pathToFileURL } from "node:url";

const [folder, url, encoding, content] = process.argv.slice(2);
const { Commands, connect, Match } = await import(pathToFileURL(`${folder}/dist/index.js`).href);
const seen = { frames: 0, units: 0, health: 0, minerals: 0, succeeded: 0, failed: 0 };
const bridge = await connect(url, { encoding });
seen.map = (await bridge.describe({ withoutData: true })).mapName;
const frames = bridge.subscribe({ policy: "lockstep", content, canAct: true, agent: "client" });
const match = new Match(await frames.describe());
const commands = new Commands(frames, match);
const goal = match.description.gameInfo.startRaw.startLocations[0]; // For a player, the enemy's start location.
for await (const frame of frames) {
  const { units } = frame;
  seen.frames++;
  seen.units += units.length;
  seen.health += Math.round([...units].reduce((sum, { health }) => sum + health, 0) * 1000) / 1000;
  seen.minerals += frame.common.minerals;
  seen.succeeded += frame.outcomes.filter(({ succeeded }) => succeeded).length;
  seen.failed += frame.outcomes.filter(({ succeeded }) => !succeeded).length;
  if (frame.step === 4) {
    const abilities = [{ unitTag: units.own.tag[0] }];
    const answer = await frames.request({ request: { case: "query", value: { abilities } } });
    seen.abilities = answer.response.value.abilities[0].abilities.length;
    seen.subscribers = (await bridge.status()).subscribers.filter(({ internal }) => !internal).map(({ name }) => name);
  }
  if (frame.step % 4 === 0) {
    commands.attack(units.own, goal);
    seen.own = units.own.length;
  }
}
Object.assign(seen, { end: frames.end.reason, last: frames.end.gameLoop });
bridge.close();
console.log(JSON.stringify(Object.fromEntries(Object.entries(seen).sort())));
