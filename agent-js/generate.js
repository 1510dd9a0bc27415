/**
 * Writes src/generated: the messages of proto/, and the game's constants. If the PATH has no protoc, it uses the protoc of the NuGet
 * package with which the bridge is built.
 */

import { spawnSync } from "node:child_process";
import { mkdirSync, readdirSync, readFileSync } from "node:fs";
import { homedir } from "node:os";
import { delimiter, join } from "node:path";
import { fileURLToPath } from "node:url";

const FOLDERS = ["s2clientprotocol", "sc2bridge/v1", "sc2bridge/shm/v1alpha1", "sc2bridge/broker/v1alpha1", "sc2bridge/work/v1alpha1"];
const SYSTEMS = { win32: "windows_x64", darwin: "macosx_universal" };

process.chdir(fileURLToPath(new URL(".", import.meta.url)));
const [, version] = /"Grpc\.Tools" Version="([^"]+)"/.exec(readFileSync("../bridge-csharp/Directory.Packages.props", "utf8"));
const packages = process.env.NUGET_PACKAGES || join(homedir(), ".nuget", "packages");
const system = SYSTEMS[process.platform] ?? `linux_${process.arch}`;
process.env.PATH += delimiter + join(packages, "grpc.tools", version, "tools", system);
mkdirSync("src/generated", { recursive: true });
const protos = FOLDERS.flatMap((folder) => readdirSync(`../proto/${folder}`).map((name) => `${folder}/${name}`)).filter((name) => name.endsWith(".proto"));
const { status, error } = spawnSync("protoc", ["-I", "../proto", "--es_out=src/generated", "--es_opt=target=ts,import_extension=js", ...protos], { stdio: "inherit" });
if (error) {
  console.error(`protoc cannot start (${error.message}): run 'dotnet restore bridge-csharp/src/Sc2Bridge.Protocol', which installs it`);
}
if (status !== 0) {
  process.exit(1);
}
await import("./generate-ids.js");
