/** The header: the state of the connection, the map, the players, the clock, and the buttons for perspective, theme and keys. */

import { type Player, PlayerKind, PlayerRace } from "sc2bridge/v1/bridge";
import { CONDITION_ICONS } from "./banner";
import { condition } from "./condition";
import { colourOf } from "./map/colours";
import { homeOf } from "./map/sides";
import { clock, seconds } from "./match";
import { Icon } from "./icon";
import { perspective, theme, THEMES } from "./settings";
import { isHeld, link, loopsBehind, match, read, shownLoop } from "./state";
import { isHelpOpen } from "./help";
import { goLive } from "./playback";
import { postMortem } from "./post-mortem/state";

export function Header() {
  const described = match.value;
  const loop = shownLoop.value ?? 0;
  const home = homeOf(read.value);
  const failed = postMortem.value?.content?.match;
  return (
    <header>
      <Connection />
      <h1 class="map-name">{described?.mapName || failed?.map || "sc2bridge"}</h1>
      {(described ? described.simulated : failed?.simulated) && <span class="tag" title="The simulated game, not StarCraft II">simulated</span>}
      <span class="players">
        {described?.players.map((player) => (
          <span key={player.playerId} title={`player ${player.playerId}: ${kindOf(player)} ${player.difficulty}`}>
            <i class={player.playerId === home ? "own" : "enemy"} style={{ background: colourOf(player.playerId) }} />
            {player.name || player.difficulty || kindOf(player)} {raceOf(player)}
          </span>
        ))}
      </span>
      <span class="clock" title="The time in the game, and its game loop">
        {clock(loop)} <small>loop {loop}</small>
      </span>
      {isHeld.value && <button class="behind" onClick={goLive}>{seconds(loopsBehind.value).toFixed(1)} s behind live</button>}
      <span class="space" />
      {described && described.perspectives.length > 1 && (
        <select
          aria-label="Perspective"
          title="The player whose view is shown (P)"
          value={String(perspective.value)}
          onChange={(event) => {
            const { value } = event.currentTarget;
            perspective.value = value === "all" || value === "first" ? value : Number(value);
          }}
        >
          <option value="first">first perspective</option>
          {described.perspectives.map((id) => (
            <option key={id} value={id}>{id === 0 ? "observer" : `player ${id}`}</option>
          ))}
          <option value="all">all together</option>
        </select>
      )}
      <button title="Change the theme (T)" aria-label={`Theme: ${theme.value}`} onClick={nextTheme}>
        {theme.value}
      </button>
      <button title="Keys and their settings (?)" aria-label="Keys ?" onClick={() => (isHelpOpen.value = true)}>?</button>
    </header>
  );
}

/** The state of the connection, as a shape and a word. */
function Connection() {
  const { state, word, text } = link.value;
  const described = match.value;
  const kind = condition.value?.kind;
  const words = { waiting: "no match", lost: "lost", token: "refused", refused: "refused", ended: "ended", warning: "" };
  const source = state === "connected" ? (described?.recording ? "recording" : described?.replay ? "replay" : "live") : state;
  return (
    <span class={`link ${kind ?? state}`} title={text} role="status">
      {kind && kind !== "warning" && <Icon d={CONDITION_ICONS[kind]} size={10} />}
      {word || (kind && words[kind]) || source}
    </span>
  );
}

const kindOf = ({ kind }: Player) => (kind && PlayerKind[kind]?.toLowerCase()) || "";
const raceOf = ({ race }: Player) => (race && PlayerRace[race]?.replace(/\B\w+/, (letters) => letters.toLowerCase())) || "";

export function nextTheme(): void {
  theme.value = THEMES[(THEMES.indexOf(theme.value) + 1) % THEMES.length]!;
}

export function nextPerspective(): void {
  const ids = match.value?.perspectives ?? [];
  if (ids.length > 1) {
    const choices = [...ids, "all"] as const;
    const now = perspective.value === "first" ? ids[0]! : perspective.value;
    perspective.value = choices[(choices.indexOf(now) + 1) % choices.length]!;
  }
}
