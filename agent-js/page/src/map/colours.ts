/** The colours of the map, which are the same in the light and the dark theme. */

const OWNERS = ["#9aa4ad", "#4c9be8", "#e8604c", "#5fbf6a", "#d9a23b", "#a87be0", "#43b8b0", "#d873a8", "#8b93a0"];
export const MINERALS = "#58c7e6";
export const GAS = "#43c98a";
const NOBODYS = "#a5a89c";
export const UNKNOWN = "#c9b458";

/** The player id of minerals, geysers and critters. */
export const NEUTRAL = 16;

/** The colour of a player, by player id. */
export function colourOf(owner: number): string {
  return owner === NEUTRAL ? NOBODYS : OWNERS[owner] ?? UNKNOWN;
}
