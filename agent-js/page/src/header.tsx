/** The match, its players and clock, and whether the bridge is there. */

import { type Player, PlayerKind, PlayerRace } from "sc2bridge/v1/bridge";
import { status } from "./bridge-status";
import { colourOf } from "./map/colours";
import { clock, seconds } from "./match";
import { perspective, theme, THEMES } from "./settings";
import { ended, isHeld, link, match, newest, shown } from "./state";
import { isHelpOpen } from "./help";
import { goLive } from "./playback";

export function Header() {
  const described = match.value;
  const frame = shown.value[0];
  const live = described && !described.recording && !described.replay;
  const behind = isHeld.value ? seconds((newest.get(frame?.perspective ?? 0)?.gameLoop ?? 0) - (frame?.gameLoop ?? 0)) : 0;
  return (
    <header>
      <span class={`link ${link.value.state}`} title={link.value.text} role="status">
        {link.value.state === "connected" ? (ended.value ? "ended" : live ? "live" : described?.recording ? "recording" : "replay") : link.value.state}
      </span>
      <strong class="map-name">{described?.mapName ?? "sc2bridge"}</strong>
      {described?.simulated && <span class="tag" title="A stand-in, not StarCraft II">simulated</span>}
      <span class="players">
        {described?.players.map((player) => (
          <span key={player.playerId} title={`player ${player.playerId}: ${kindOf(player)} ${player.difficulty}`}>
            <i style={{ background: colourOf(player.playerId) }} />
            {player.name || player.difficulty || kindOf(player)} {raceOf(player)}
          </span>
        ))}
      </span>
      <span class="clock" title="The game's clock, and its game loop">
        {clock(frame?.gameLoop ?? 0)} <small>loop {frame?.gameLoop ?? 0}</small>
      </span>
      {isHeld.value && <button class="behind" onClick={goLive}>{behind.toFixed(1)} s behind live</button>}
      <span class="space" />
      {described && described.perspectives.length > 1 && (
        <select
          aria-label="Perspective"
          title="Whose observations are shown (P)"
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
      <button title={`Light or dark: ${theme.value} (T)`} aria-label={`Theme: ${theme.value}`} onClick={nextTheme}>
        {theme.value}
      </button>
      <button title="Keys (?)" aria-label="Keys" onClick={() => (isHelpOpen.value = !isHelpOpen.value)}>?</button>
    </header>
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

/** What the header cannot show. */
export function Banner() {
  const { state, text } = link.value;
  if (state !== "connected" && !(ended.value && state === "lost")) {
    return <p class="banner" role="alert">{text}</p>;
  }
  if (ended.value) {
    return <p class="banner">The match has ended: {ended.value}</p>;
  }
  const wrong = status.value?.now.degraded ?? [];
  return wrong.length ? <p class="banner" role="alert">The bridge: {wrong.join("; ")}</p> : null;
}
