/** The code of the viewer's worker. The viewer's build makes it. */
declare module "virtual:worker" {
  const code: string;
  export default code;
}
