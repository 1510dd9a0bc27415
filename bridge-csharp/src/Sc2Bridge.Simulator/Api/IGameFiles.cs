namespace Sc2Bridge.Simulator.Api;

/// <summary>The files that API requests name.</summary>
internal interface IGameFiles
{
    /// <summary>A replay's bytes; null if the file does not exist.</summary>
    /// <param name="path">A path in the game's folder of replays. A path outside it counts as a missing file.</param>
    byte[]? ReadReplay(string path);
}
